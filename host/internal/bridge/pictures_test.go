package bridge

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// picture is a PNG of that many pixels.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPictures: they reach the model that reads them; whatever it cannot read is
// refused before anything is sent.
func TestPictures(t *testing.T) {
	small := picture(t, 2, 3)
	with := func(a ...chat.Attachment) []chat.Attachment { return a }
	good := chat.Attachment{Name: "a.png", MediaType: "image/png", Data: small}
	for _, tt := range []struct {
		name  string
		model string
		files []chat.Attachment
		key   string // of the refusal; "" where it is sent
	}{
		{"a picture", "p/eyes", with(good), ""},
		{"twenty", "p/eyes", make([]chat.Attachment, 20), ""},
		{"a model that reads none", "", with(good), say.PicturesUnread},
		{"too many", "p/eyes", make([]chat.Attachment, 21), say.TooManyPictures},
		{"no picture", "p/eyes", with(chat.Attachment{Name: "a.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4")}), say.NotAPicture},
		{"not what it says", "p/eyes", with(chat.Attachment{Name: "a.png", MediaType: "image/png", Data: []byte("<svg>")}), say.NotAPicture},
		{"empty", "p/eyes", with(chat.Attachment{Name: "a.png", MediaType: "image/png"}), say.NotAPicture},
		{"too many bytes", "p/eyes", with(chat.Attachment{Name: "a.png", MediaType: "image/png", Data: append(bytes.Clone(small), make([]byte, maxPictureSize)...)}), say.PictureTooLarge},
		{"too many pixels", "p/eyes", with(chat.Attachment{Name: "a.png", MediaType: "image/png", Data: picture(t, 2001, 1)}), say.PictureTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(s *stage) {
				for i := range tt.files {
					if tt.files[i].MediaType == "" {
						tt.files[i] = good
					}
				}
				req := s.message("c1", "say hi")
				req.Model, req.Attachments = tt.model, tt.files
				sub, err := s.b.Send(s.t.Context(), req)
				if tt.key != "" {
					var refused *chat.Error
					if code(err) != chat.CodeBadRequest || !errors.As(err, &refused) || refused.Key != tt.key {
						t.Errorf("refused with %v, want %q", err, tt.key)
					}
					if n := s.d.count("Ensure"); n != 0 {
						t.Errorf("the Harness was started %d times", n)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				s.rest(sub)
				var want []gateway.Image
				var named []chat.Picture
				for range tt.files {
					want = append(want, gateway.Image{Name: "a.png", MediaType: "image/png", Data: small})
					named = append(named, chat.Picture{Name: "a.png", MediaType: "image/png"})
				}
				if d := cmp.Diff(want, s.d.images); d != "" {
					t.Errorf("sent (-want +got):\n%s", d)
				}
				if d := cmp.Diff(named, s.history("c1").Messages[0].Pictures); d != "" {
					t.Errorf("the history (-want +got):\n%s", d)
				}
			})
		})
	}
}

// TestPicturesAlone: a message may be pictures without a word; without either it is none.
func TestPicturesAlone(t *testing.T) {
	a := chat.Attachment{Name: "a.png", MediaType: "image/png", Data: picture(t, 2, 3)}
	b := chat.Attachment{MediaType: "image/png", Data: picture(t, 3, 2)}
	play(t, func(s *stage) {
		req := s.message("c1", " \n")
		if _, err := s.b.Send(t.Context(), req); code(err) != chat.CodeBadRequest {
			t.Errorf("an empty message: %v", err)
		}
		req.Model, req.Attachments = "p/eyes", []chat.Attachment{a, b}
		s.rest(s.post(req))
		want := []gateway.Image{{Name: "a.png", MediaType: "image/png", Data: a.Data}, {MediaType: "image/png", Data: b.Data}}
		if d := cmp.Diff(want, s.d.images); d != "" {
			t.Errorf("sent (-want +got):\n%s", d)
		}
		h := s.history("c1")
		if d := cmp.Diff([]chat.Picture{{Name: "a.png", MediaType: "image/png"}, {MediaType: "image/png"}}, h.Messages[0].Pictures); d != "" {
			t.Errorf("the history (-want +got):\n%s", d)
		}
		if h.Title != "a.png, image/png" {
			t.Errorf("the title is %q", h.Title)
		}
	})
	playApart(t, func(s *apart) {
		req := s.message("c1", "")
		req.Model, req.Attachments = "p/eyes", []chat.Attachment{a}
		s.expect(s.rest(s.post(req)), "queued", whyNotice, aloneNotice, "start manual p/eyes ", "reasoning hm", "done completed false 7")
		if h := s.history("c1"); h.Title != "a.png" || len(h.Messages) != 2 || len(h.Messages[0].Pictures) != 1 {
			t.Errorf("the chat is %+v", h)
		}
	})
}
