package bridge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/fit"
	"strata.dev/bridge/host/internal/goal"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// attachedDir is where long messages are kept as files, below the chat's folder: the
// agent reads there unasked.
const attachedDir = ".strata/attached"

// Oversize implements API.
func (b *Bridge) Oversize(_ context.Context, req chat.OversizeRequest) (chat.OversizeAnswer, error) {
	switch {
	case !validID(req.ChatID):
		return chat.OversizeAnswer{}, say.Error(chat.CodeBadRequest, "chatId", say.FieldWrong, "field", "chatId")
	case strings.TrimSpace(req.Text) == "":
		return chat.OversizeAnswer{}, say.Error(chat.CodeBadRequest, "text", say.NoText)
	case req.As != chat.OversizePreview && req.As != chat.OversizeFile:
		return chat.OversizeAnswer{}, say.Error(chat.CodeBadRequest, "as", say.FieldWrong, "field", "as")
	}
	name, text := commanded(req.Text)
	if req.As == chat.OversizePreview {
		return chat.OversizeAnswer{Text: name + fit.Preview(text, b.sizes.of(req.ChatID))}, nil
	}
	path, err := attach(b.folder(req.ChatID), text)
	if err != nil {
		return chat.OversizeAnswer{}, say.Error(chat.CodeInternal, err.Error(), say.NotAttached)
	}
	return chat.OversizeAnswer{Text: name + fit.Attached(text, path), Path: path}, nil
}

// commanded parts a command that has a long text from it, so that what stands for the
// text is its text.
func commanded(message string) (name, text string) {
	switch line := command.Parse(message); {
	case line.Kind == command.Goal && goal.Parse(line.Rest).Verb == goal.Edit:
		return "/goal edit ", goal.Parse(line.Rest).Text
	case line.Kind == command.Goal && line.Rest != "", line.Kind == command.Plan && line.Rest != "":
		return "/" + line.Name + " ", line.Rest
	}
	return "", message
}

// folder is where a chat's agent works, also where its first message was refused, so that
// nothing is kept of it yet.
func (b *Bridge) folder(chatID string) string {
	rec, known := b.records.get(chatID)
	if known && !rec.Unbegun && rec.CWD != "" {
		return rec.CWD
	}
	asked := ""
	b.mu.Lock()
	c := b.chats[chatID]
	b.mu.Unlock()
	if c != nil {
		asked = c.asked()
	}
	return cmp.Or(asked, rec.CWD, b.o.Workspace)
}

// asked is the folder that the message under way is for, or else the newest that was; ""
// where it names none.
func (c *conversation) asked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.runs) > 0:
		return c.runs[0].req.CWD
	case c.ended != nil:
		return c.ended.req.CWD
	}
	return ""
}

// attach keeps a text in a file below a folder and gives its path there, with slashes.
// No link is followed out of the folder, and the same text is kept once. What is in
// there is nobody's to commit.
func attach(folder, text string) (name string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", fmt.Errorf("attaching a text: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.MkdirAll(filepath.FromSlash(attachedDir), 0o700); err != nil {
		return "", fmt.Errorf("attaching a text: %w", err)
	}
	sum := sha256.Sum256([]byte(text))
	name = path.Join(attachedDir, "message-"+hex.EncodeToString(sum[:6])+".txt")
	if err := writeNew(root, filepath.FromSlash(".strata/.gitignore"), "*\n"); err != nil {
		return "", fmt.Errorf("attaching a text: %w", err)
	}
	if err := writeText(root, filepath.FromSlash(name), text); err != nil {
		return "", fmt.Errorf("attaching a text: %w", err)
	}
	return name, nil
}

// writeText has a file hold a text, whole or not at all, whatever the agent has made of
// it since.
func writeText(root *os.Root, name, text string) error {
	info, err := root.Lstat(name)
	if err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		if old, err := root.ReadFile(name); err == nil && string(old) == text {
			return nil
		}
	}
	part := name + "." + newID()
	if err := writeNew(root, part, text); err != nil {
		return err
	}
	if err := root.Rename(part, name); err != nil {
		return errors.Join(err, root.Remove(part))
	}
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(root *os.Root, name, content string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, root.Remove(name)) // half a file is none
	}
	return err
}
