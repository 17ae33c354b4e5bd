package kit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"strata.dev/bridge/proto/chat"
)

// Client speaks the host's routes as the page does.
type Client struct {
	URL   string // http://127.0.0.1:port
	Token string

	recorder *Recorder // nil keeps nothing
}

// Refused is an answer of the host that is not 200.
type Refused struct {
	Status int
	Why    chat.Error
}

// Error gives status, code and sentence.
func (r *Refused) Error() string { return fmt.Sprintf("%d %s", r.Status, r.Why.Error()) }

// Do sends a request, body as JSON where it is not nil, and decodes the answer
// into what into points at, where it is not nil. Anything but 200 is a *Refused.
func (c Client) Do(ctx context.Context, method, path string, body, into any) (err error) {
	var data []byte
	kept := c.recorder.begin(method, path, body)
	defer func() { c.recorder.answered(kept, data, nil, err) }()
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if data, err = io.ReadAll(resp.Body); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %s: %w in %s", method, path, err, data)
	}
	return nil
}

// send gives the answer once it is 200.
func (c Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, in)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := direct.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	var answer chat.ErrorBody
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("%s %s: %d and no typed error: %s", method, path, resp.StatusCode, data)
	}
	return nil, &Refused{Status: resp.StatusCode, Why: answer.Error}
}

// Pending lists the approvals that wait; "" is those of all chats.
func (c Client) Pending(ctx context.Context, chatID string) ([]chat.Pending, error) {
	var a chat.PendingAnswer
	err := c.Do(ctx, http.MethodGet, "/api/agent/pending?chatId="+url.QueryEscape(chatID), nil, &a)
	return a.Pending, err
}

// Status says how the agent stands.
func (c Client) Status(ctx context.Context) (chat.AgentStatus, error) {
	var a chat.AgentStatus
	return a, c.Do(ctx, http.MethodGet, "/api/agent/status", nil, &a)
}

// Chats lists the chats, newest first.
func (c Client) Chats(ctx context.Context) ([]chat.ChatSummary, error) {
	var a chat.ChatList
	err := c.Do(ctx, http.MethodGet, "/api/chats", nil, &a)
	return a.Chats, err
}

// Answer sends an answer to a card as it stands.
func (c Client) Answer(ctx context.Context, r chat.ApprovalRequest) error {
	return c.Do(ctx, http.MethodPost, "/api/chat/approval", r, nil)
}

// Permissions lists what was allowed in advance.
func (c Client) Permissions(ctx context.Context) ([]chat.Permission, error) {
	var a chat.PermissionList
	err := c.Do(ctx, http.MethodGet, "/api/permissions", nil, &a)
	return a.Permissions, err
}

// Revoke takes a permission back.
func (c Client) Revoke(ctx context.Context, id string) error {
	return c.Do(ctx, http.MethodDelete, "/api/permissions/"+url.PathEscape(id), nil, nil)
}

// Decisions is the decision log, the newest first; query is that of the route.
func (c Client) Decisions(ctx context.Context, query url.Values) (chat.DecisionList, error) {
	var a chat.DecisionList
	return a, c.Do(ctx, http.MethodGet, "/api/decisions?"+query.Encode(), nil, &a)
}

// Chat is one chat of a client.
type Chat struct {
	Client
	ID string
}

// NewChat names a new chat; the host learns of it with the first message.
func (c Client) NewChat() Chat {
	made := Chat{c, "chat-" + rand.Text()}
	c.recorder.begun(made)
	return made
}

// Send sends a message in Manual and follows its run. The changes are made to the
// request before it is sent.
func (c Chat) Send(ctx context.Context, text string, changes ...func(*chat.StreamRequest)) (*Run, error) {
	req := chat.StreamRequest{ChatID: c.ID, Text: text, Mode: "manual", RequestID: "request-" + rand.Text()}
	for _, change := range changes {
		change(&req)
	}
	return c.follow(ctx, http.MethodPost, "/api/chat/stream", req, 0)
}

// Mode makes Send send in another mode: plan, manual, bypass.
func Mode(m string) func(*chat.StreamRequest) {
	return func(r *chat.StreamRequest) { r.Mode = m }
}

// RequestID makes Send send with this id instead of a fresh one.
func RequestID(id string) func(*chat.StreamRequest) {
	return func(r *chat.StreamRequest) { r.RequestID = id }
}

// Attach follows a run again from after a frame's seq.
func (c Chat) Attach(ctx context.Context, run string, after int64) (*Run, error) {
	q := url.Values{"chatId": {c.ID}, "run": {run}, "after": {strconv.FormatInt(after, 10)}}
	return c.follow(ctx, http.MethodGet, "/api/chat/stream?"+q.Encode(), nil, after)
}

// Approve approves a card as it was shown.
func (c Chat) Approve(ctx context.Context, t chat.Tool) error {
	return c.Answer(ctx, chat.ApprovalRequest{SessionID: c.ID, ToolID: t.ID, Digest: t.Digest, Decision: chat.Approve})
}

// ApproveFor approves a card beyond its one call; pattern "" is the card's own.
func (c Chat) ApproveFor(ctx context.Context, t chat.Tool, scope, pattern string) error {
	return c.Answer(ctx, chat.ApprovalRequest{
		SessionID: c.ID, ToolID: t.ID, Digest: t.Digest, Decision: chat.Approve, Scope: scope, Pattern: pattern,
	})
}

// Deny denies a card as it was shown, with a note for the model or "".
func (c Chat) Deny(ctx context.Context, t chat.Tool, note string) error {
	return c.Answer(ctx, chat.ApprovalRequest{SessionID: c.ID, ToolID: t.ID, Digest: t.Digest, Decision: chat.Deny, Note: note})
}

// Stop stops the chat's turn; it answers once the turn has ended.
func (c Chat) Stop(ctx context.Context) (chat.StopAnswer, error) {
	var a chat.StopAnswer
	return a, c.Do(ctx, http.MethodPost, "/api/chat/stop", chat.StopRequest{ChatID: c.ID}, &a)
}

// Plan answers the plan of the chat's newest turn.
func (c Chat) Plan(ctx context.Context, decision, mode string) (chat.PlanAnswer, error) {
	var a chat.PlanAnswer
	return a, c.Do(ctx, http.MethodPost, "/api/chat/plan", chat.PlanRequest{SessionID: c.ID, Decision: decision, Mode: mode}, &a)
}

// Oversize asks for what to send in the place of a message that is too long.
func (c Client) Oversize(ctx context.Context, r chat.OversizeRequest) (chat.OversizeAnswer, error) {
	var a chat.OversizeAnswer
	return a, c.Do(ctx, http.MethodPost, "/api/chat/oversize", r, &a)
}

// TakeBack takes a message back that waits for its turn.
func (c Chat) TakeBack(ctx context.Context, run string) (chat.StreamRequest, error) {
	var a chat.StreamRequest
	return a, c.Do(ctx, http.MethodDelete, c.waiting(run), nil, &a)
}

// SteerWaiting puts a message that waits into the running turn.
func (c Chat) SteerWaiting(ctx context.Context, run string) error {
	return c.Do(ctx, http.MethodPost, c.waiting(run)+"/steer", nil, nil)
}

func (c Chat) waiting(run string) string {
	return "/api/chats/" + url.PathEscape(c.ID) + "/waiting/" + url.PathEscape(run)
}

// History gives the chat as it is kept.
func (c Chat) History(ctx context.Context) (chat.Chat, error) {
	var a chat.Chat
	return a, c.Do(ctx, http.MethodGet, "/api/chats/"+url.PathEscape(c.ID), nil, &a)
}

func (c Client) follow(ctx context.Context, method, path string, body any, after int64) (run *Run, err error) {
	kept := c.recorder.begin(method, path, body)
	defer func() { c.recorder.answered(kept, nil, run, err) }()
	ctx, leave := context.WithCancel(ctx)
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		leave()
		return nil, err
	}
	return newRun(resp.Body, leave, after), nil
}
