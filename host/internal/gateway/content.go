package gateway

// Image is a picture that goes with a Prompt. MediaType is image/png, image/jpeg,
// image/gif or image/webp; Name may be "".
type Image struct {
	Name, MediaType string
	Data            []byte
}

// textPart and imagePart are the pieces of a message's content on both wires
// (harness-wire.md §6.1). Data is base64 in JSON.
type (
	textPart struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	imagePart struct {
		Type      string `json:"type"`
		MediaType string `json:"mediaType"`
		Data      []byte `json:"data"`
		Name      string `json:"name,omitempty"`
	}
)

// Content is what a wire sends of p: its text, then its pictures. Pictures alone go
// without an empty text.
func (p Prompt) Content() []any {
	var content []any
	if p.Text != "" || len(p.Images) == 0 {
		content = append(content, textPart{"text", p.Text})
	}
	for _, i := range p.Images {
		content = append(content, imagePart{"image", i.MediaType, i.Data, i.Name})
	}
	return content
}
