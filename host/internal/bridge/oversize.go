package bridge

import (
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

	"strata.dev/bridge/host/internal/fit"
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
	case req.As == chat.OversizePreview:
		return chat.OversizeAnswer{Text: fit.Preview(req.Text, b.sizes.of(req.ChatID))}, nil
	case req.As != chat.OversizeFile:
		return chat.OversizeAnswer{}, say.Error(chat.CodeBadRequest, "as", say.FieldWrong, "field", "as")
	}
	folder := b.o.Workspace
	if rec, known := b.records.get(req.ChatID); known && rec.CWD != "" {
		folder = rec.CWD
	}
	name, err := attach(folder, req.Text)
	if err != nil {
		return chat.OversizeAnswer{}, say.Error(chat.CodeInternal, err.Error(), say.NotAttached)
	}
	return chat.OversizeAnswer{Text: fit.Attached(req.Text, name), Path: name}, nil
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
	for file, content := range map[string]string{".strata/.gitignore": "*\n", name: text} {
		if err := writeNew(root, filepath.FromSlash(file), content); err != nil {
			return "", fmt.Errorf("attaching a text: %w", err)
		}
	}
	return name, nil
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
