// Package httpapi serves the routes of design §5: thin handlers over an Agent,
// the NDJSON stream, the auth that every route has, typed refusals, health.
package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/events"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/proto/chat"
)

// Agent is what the routes call; bridge.API says what each method does.
type Agent interface {
	Send(ctx context.Context, r chat.StreamRequest) (bridge.Subscription, error)
	Attach(ctx context.Context, chatID, run string, after int64) (bridge.Subscription, error)
	Answer(ctx context.Context, r chat.ApprovalRequest) error
	Plan(ctx context.Context, r chat.PlanRequest) (chat.PlanAnswer, error)
	Oversize(ctx context.Context, r chat.OversizeRequest) (chat.OversizeAnswer, error)
	Stop(ctx context.Context, r chat.StopRequest) (chat.StopAnswer, error)
	TakeBack(ctx context.Context, chatID, run string) (chat.StreamRequest, error)
	SteerWaiting(ctx context.Context, chatID, run string) error
	Pending(chatID string) []chat.Pending
	Status(ctx context.Context) chat.AgentStatus
	Chats(ctx context.Context) (chat.ChatList, error)
	Chat(ctx context.Context, id string) (chat.Chat, error)
	PatchChat(ctx context.Context, id string, p chat.ChatPatch) (chat.ChatSummary, error)
}

// Options is what a Server needs. Zero durations are the defaults.
type Options struct {
	Agent Agent
	// Permissions serves the saved permissions and the decision log.
	Permissions Permissions
	// Tools serves what is chosen under Settings → Tools; nil: nothing can be.
	Tools Tools
	// Tasks serves the tasks; nil: there are none.
	Tasks Tasks
	// Models serves the model connections; nil: there are none.
	Models Models
	// Events serves what happens outside of chats; nil: nothing does.
	Events *events.Hub
	// Wire serves the console (strata-host wire) to this computer; nil: there is none.
	Wire Wire
	// Token is what /api requests must carry; without one all are refused.
	Token string
	// Hosts are the values of the Host header that are ours, with port; see Hosts.
	Hosts []string
	// DataDir and LogFile are told in the status.
	DataDir, LogFile string
	// About adds what is to be said of the host itself to the status; nil adds nothing.
	About func(*chat.AgentStatus)
	// Ready answers /readyz; nil is always ready.
	Ready  func() bool
	Log    *zap.Logger
	Redact *redact.Redactor

	// Heartbeat is how long a stream may be silent before an empty line is sent,
	// so that a dead peer is noticed (15 s).
	Heartbeat time.Duration
	// WriteTimeout is how long one line may take to be written (30 s).
	WriteTimeout time.Duration
	// BodyTimeout is how long a request's body may take to arrive (60 s).
	BodyTimeout time.Duration
}

// Server is the handler of all routes.
type Server struct {
	o    Options
	echo *echo.Echo
	host map[string]bool
}

var _ http.Handler = (*Server)(nil)

// New makes a Server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Redact == nil {
		o.Redact = redact.New()
	}
	if o.About == nil {
		o.About = func(*chat.AgentStatus) {}
	}
	if o.Ready == nil {
		o.Ready = func() bool { return true }
	}
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	or(&o.Heartbeat, 15*time.Second)
	or(&o.WriteTimeout, 30*time.Second)
	or(&o.BodyTimeout, 60*time.Second)

	s := &Server{o: o, echo: echo.New(), host: map[string]bool{}}
	for _, h := range o.Hosts {
		s.host[h] = true
	}
	e := s.echo
	e.HTTPErrorHandler = s.refuse
	e.Logger.SetOutput(io.Discard) // ours is Options.Log
	e.Pre(s.access, s.recover, headers, s.slowBody, s.guard, s.auth, noPreflight)

	e.GET("/", s.asset)
	e.GET("/static/*", s.asset)
	e.GET("/livez", s.live)
	e.GET("/readyz", s.ready)

	e.POST("/api/chat/stream", s.send)
	e.GET("/api/chat/stream", s.attach)
	e.POST("/api/chat/approval", s.approval)
	e.POST("/api/chat/stop", s.stop)
	e.POST("/api/chat/plan", s.plan)
	e.POST("/api/chat/oversize", s.oversize)
	e.GET("/api/agent/pending", s.pending)
	e.GET("/api/agent/status", s.status)
	e.GET("/api/chats", s.chats)
	e.GET("/api/chats/:id", s.chat)
	e.PATCH("/api/chats/:id", s.patchChat)
	e.DELETE("/api/chats/:id/waiting/:run", s.takeBack)
	e.POST("/api/chats/:id/waiting/:run/steer", s.steerWaiting)
	e.GET("/api/permissions", s.permissions)
	e.DELETE("/api/permissions/:id", s.revoke)
	e.GET("/api/decisions", s.decisions)
	s.toolRoutes()
	s.taskRoutes()
	s.modelRoutes()
	e.GET("/api/events", s.events)
	e.GET("/api/wire/status", s.wireStatus, s.local)
	e.POST("/api/wire/call", s.wireCall, s.local)
	e.GET("/api/wire/follow", s.wireFollow, s.local)
	e.GET("/api/wire/events", s.wireEvents, s.local)
	return s
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// HTTPServer wraps h with the limits that hold for every connection. There is no
// write timeout: it would cut streams; each write has a deadline of its own.
func HTTPServer(h http.Handler, log *zap.Logger) *http.Server {
	std, err := zap.NewStdLogAt(log, zap.DebugLevel)
	if err != nil { // only for a level that does not exist
		panic(err)
	}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          std,
	}
}
