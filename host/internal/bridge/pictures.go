package bridge

import (
	"bytes"
	"cmp"
	"image"
	_ "image/gif" // for DecodeConfig
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/direct"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// What the Harness takes of pictures (its projection imageLimits in 0.1.0). All of a
// message's together are bounded by chat.MaxBody.
const (
	maxPictures    = 20
	maxPictureSize = 3_670_016 // bytes: 3.5 MiB
	maxPictureSide = 2000      // pixels
)

// checkPictures refuses what the message's model cannot read, before anything is sent.
// A route that is gone is told by the run.
func (b *Bridge) checkPictures(req chat.StreamRequest) error {
	if len(req.Attachments) == 0 {
		return nil
	}
	model := b.model(req)
	for _, r := range b.o.Harness.Status().Routes {
		if r.ID == model && !r.Images {
			e := say.Error(chat.CodeBadRequest, "the route does not declare pictures", say.PicturesUnread, "model", model)
			e.Actions = []string{project.ActionModel}
			return e
		}
	}
	if len(req.Attachments) > maxPictures {
		return say.Error(chat.CodeBadRequest, "attachments", say.TooManyPictures, "count", strconv.Itoa(maxPictures))
	}
	for _, a := range req.Attachments {
		name := cmp.Or(a.Name, a.MediaType)
		switch size, _, err := image.DecodeConfig(bytes.NewReader(a.Data)); {
		case !slices.Contains(direct.PictureTypes, a.MediaType), http.DetectContentType(a.Data) != a.MediaType:
			return say.Error(chat.CodeBadRequest, a.MediaType, say.NotAPicture, "name", name)
		case len(a.Data) > maxPictureSize:
			return say.Error(chat.CodeBadRequest, strconv.Itoa(len(a.Data))+" bytes", say.PictureTooLarge, "name", name, "limit", "3.5 MB")
		case err == nil && max(size.Width, size.Height) > maxPictureSide:
			return say.Error(chat.CodeBadRequest, strconv.Itoa(size.Width)+" × "+strconv.Itoa(size.Height), say.PictureTooLarge, "name", name, "limit", "2000 × 2000")
		}
	}
	return nil
}

// pictures are a message's as the gateway wants them.
func pictures(all []chat.Attachment) []gateway.Image {
	var out []gateway.Image
	for _, a := range all {
		out = append(out, gateway.Image{Name: a.Name, MediaType: a.MediaType, Data: a.Data})
	}
	return out
}

// titleFor is the title of a chat that a request begins: its text, or the names of its
// pictures.
func titleFor(req chat.StreamRequest) string {
	if title := titleOf(req.Text); title != "" {
		return title
	}
	var names []string
	for _, a := range req.Attachments {
		names = append(names, cmp.Or(a.Name, a.MediaType))
	}
	return titleOf(strings.Join(names, ", "))
}

// spoken is a request's message as the history shows it.
func spoken(req chat.StreamRequest, time int64) chat.Message {
	m := chat.Message{Role: "user", Text: req.Text, Time: time, RPCID: req.RequestID}
	for _, a := range req.Attachments {
		m.Pictures = append(m.Pictures, chat.Picture{Name: a.Name, MediaType: a.MediaType})
	}
	return m
}
