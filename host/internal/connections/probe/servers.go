package probe

import "slices"

// Who made a server, by what its list says of its models' owner.
const (
	llamaCPP = "llamacpp"
	lmStudio = "organization_owner"
	ollama   = "library"
)

// modelList is OpenAI's GET /v1/models, and what vLLM, SGLang and llama.cpp add to it.
type modelList struct {
	Data []struct {
		ID          string `json:"id"`
		Owner       string `json:"owned_by"`
		MaxModelLen int64  `json:"max_model_len"` // vLLM, SGLang
	} `json:"data"`
}

func (l modelList) found() Found {
	var f Found
	for _, m := range l.Data {
		if m.ID != "" && f.model(m.ID) == nil {
			f.Models = append(f.Models, Model{ID: m.ID, ContextWindow: max(0, m.MaxModelLen)})
		}
	}
	return f
}

func (l modelList) maker() string {
	if len(l.Data) == 0 {
		return ""
	}
	return l.Data[0].Owner
}

// model is the one of that id, or nil.
func (f *Found) model(id string) *Model {
	i := slices.IndexFunc(f.Models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &f.Models[i]
}

// props is llama.cpp's GET /props, of its one model. Its window is a slot's.
type props struct {
	Slots    int `json:"total_slots"`
	Settings struct {
		Window int64 `json:"n_ctx"`
	} `json:"default_generation_settings"`
	Modalities *struct {
		Vision bool `json:"vision"`
	} `json:"modalities"`
}

func (p props) add(f *Found) {
	f.Slots = max(0, p.Slots)
	if len(f.Models) != 1 {
		return // a router, whose windows are other models' too
	}
	f.Models[0].ContextWindow = max(0, p.Settings.Window)
	if p.Modalities != nil {
		f.Models[0].Images = &p.Modalities.Vision
	}
}

// lmModels is LM Studio's GET /api/v0/models. A model that is not loaded has no window
// yet: it gets one when it is.
type lmModels struct {
	Data []struct {
		ID     string `json:"id"`
		Type   string `json:"type"` // llm, vlm or embeddings
		Window int64  `json:"loaded_context_length"`
	} `json:"data"`
}

func (l lmModels) add(f *Found) {
	for _, m := range l.Data {
		known := f.model(m.ID)
		if known == nil {
			continue
		}
		if m.Type == "embeddings" {
			f.Models = slices.DeleteFunc(f.Models, func(x Model) bool { return x.ID == m.ID })
			continue
		}
		reads := m.Type == "vlm"
		known.ContextWindow, known.Images = max(0, m.Window), &reads
	}
}

// ollamaRunning is Ollama's GET /api/ps: the models in memory.
type ollamaRunning struct {
	Models []struct {
		Model  string `json:"model"`
		Window int64  `json:"context_length"`
	} `json:"models"`
}

func (r ollamaRunning) add(f *Found) {
	for _, m := range r.Models {
		if known := f.model(m.Model); known != nil {
			known.ContextWindow = max(0, m.Window)
		}
	}
}
