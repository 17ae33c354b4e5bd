package contextwindow

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// subject is what a server found too long.
type subject int

const (
	ofNothing subject = iota // it was refused for something else
	unclear                  // the prompt, or the reply that was asked for beside it
	ofWhole                  // prompt and reply together
	ofPrompt                 // the prompt, whatever reply was asked for
	ofBytes                  // the request as it is sent, pictures and all
	ofReply                  // the reply that was asked for
)

// wording is one by which servers refuse a request for its length.
type wording struct {
	server string // that says so, or "servers" where many do
	about  subject
	// pattern is matched against plain text. Its groups are p and q, tokens of the prompt
	// and more of it; t, tokens of prompt and reply; l, the most that the server takes.
	pattern string
	example string
}

// wordings are the known ones, the telling ones first. Examples are as their servers word
// them, with our numbers: as of late 2026 their own sources and documents, and logs of
// clients that recognize them.
var wordings = []wording{
	{"OpenAI", ofReply, `max_(?:completion_)?tokens is too large: \d+\. this model supports at most`, "max_tokens is too large: 32768. This model supports at most 8192 completion tokens, whereas you provided 32768."},
	{"DeepSeek", ofReply, `valid range of max_tokens`, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"},
	{"Alibaba", ofReply, `range of max_tokens should be`, "Range of max_tokens should be [1, 8192]"},
	{"Anthropic", ofReply, `max_tokens: \d+ > \d+, which is the maximum allowed`, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model"},

	{"OpenAI", ofWhole, `(?:maximum context length is (?P<l>\d+) tokens.*)?\b(?P<t>\d+) tokens \((?P<p>\d+) in (?:the messages|your prompt|the prompt)(?:, (?P<q>\d+) in the functions)?`, "This model's maximum context length is 65536 tokens. However, you requested 103268 tokens (70000 in the messages, 500 in the functions, 32768 in the completion). Please reduce the length of the messages, functions, or completion."},
	{"OpenRouter", ofWhole, `maximum context length is (?P<l>\d+) tokens.*requested about (?P<t>\d+) tokens \((?P<p>\d+) of text input(?:, (?P<q>\d+) of tool input)?`, "This endpoint's maximum context length is 65536 tokens. However, you requested about 103268 tokens (70000 of text input, 500 of tool input, 32768 in the output)."},
	{"SGLang", ofWhole, `maximum context length of (?P<l>\d+) tokens\. you requested a total of (?P<t>\d+) tokens: (?P<p>\d+) tokens from the input`, "Requested token count exceeds the model's maximum context length of 65536 tokens. You requested a total of 102768 tokens: 70000 tokens from the input messages and 32768 tokens for the completion."},
	{"vLLM", ofWhole, `maximum context length is (?P<l>\d+) tokens and your request has (?P<p>\d+) input tokens`, "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 65536 tokens and your request has 44000 input tokens (32768 > 65536 - 44000)."},
	{"vLLM", ofWhole, `passed (?P<p>\d+) input tokens and requested \d+ output tokens\. however, the model's context length is only (?P<l>\d+)`, "You passed 44000 input tokens and requested 32768 output tokens. However, the model's context length is only 65536 tokens, resulting in a maximum input length of 32768 tokens."},
	{"Anthropic", ofWhole, `exceed context limit: (?P<p>\d+) \+ \d+ > (?P<l>\d+)`, "input length and `max_tokens` exceed context limit: 44000 + 32768 > 65536, decrease input length or `max_tokens` and try again"},
	{"TGI", ofWhole, "`max_new_tokens` must be <= (?P<l>\\d+)(?:\\. given: (?P<p>\\d+) `inputs` tokens)?", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65536. Given: 44000 `inputs` tokens and 32768 `max_new_tokens`"},
	{"Kimi", ofWhole, `exceeded model token limit: (?P<l>\d+)(?: \(requested: (?P<t>\d+)\))?`, "Invalid request: Your request exceeded model token limit: 65536 (requested: 300000)"},
	{"Cerebras", ofWhole, `current length is (?P<t>\d+) while limit is (?P<l>\d+)`, "Please reduce the length of the messages or completion. Current length is 102768 while limit is 65536"},
	{"servers before vLLM", ofWhole, `prompt length \(?(?P<p>\d+)\)? \+ max_tokens \(?\d+\)? exceeds [a-z ]*\(?(?P<l>\d+)`, "Prompt length (44000) + max_tokens (32768) exceeds max model length (65536)"},
	{"servers before vLLM", ofWhole, `max_tokens \(?\d+\)? \+ input tokens \(?(?P<p>\d+)\)? exceeds [a-z ]*\(?(?P<l>\d+)`, "max_tokens (32768) + input tokens (44000) exceeds 65536"},
	{"servers", ofWhole, `maximum context length is (?P<l>\d+) tokens.*requested (?:a total of )?(?P<t>\d+)`, "maximum context length is 65536 tokens, requested 102768"},

	{"OpenAI, DeepSeek", ofPrompt, `maximum context length is (?P<l>\d+) tokens.*messages resulted in (?P<p>\d+) tokens`, "This model's maximum context length is 65536 tokens. However, your messages resulted in 70,000 tokens. Please reduce the length of the messages."},
	{"OpenAI", ofPrompt, `input tokens exceed the configured limit of (?P<l>\d+) tokens(?:\. your messages resulted in (?P<p>\d+) tokens)?`, "Input tokens exceed the configured limit of 65536 tokens. Your messages resulted in 70000 tokens."},
	{"OpenAI", ofPrompt, `input exceeds the context window`, "Your input exceeds the context window of this model. Please adjust your input and try again."},
	{"vLLM", ofPrompt, `maximum context length is (?P<l>\d+) tokens.*request has (?P<p>\d+) input tokens`, "This model's maximum context length is 65536 tokens. However, your request has 70000 input tokens. Please reduce the length of the input messages."},
	{"vLLM", ofPrompt, `prompt \((?:total )?length (?P<p>\d+)\) is (?:longer than the maximum model length of (?P<l>\d+)|too long)`, "The decoder prompt (length 70000) is longer than the maximum model length of 65536."},
	{"llama.cpp", ofPrompt, `request \((?P<p>\d+) tokens\) exceeds the available context size \((?P<l>\d+) tokens\)`, "request (70000 tokens) exceeds the available context size (65536 tokens), try increasing it"},
	{"llama.cpp", ofPrompt, `"n_prompt_tokens": ?(?P<p>\d+), ?"n_ctx": ?(?P<l>\d+)`, `{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":70000,"n_ctx":65536}`},
	{"llama.cpp", ofPrompt, `exceeds the available context size`, "the request exceeds the available context size, try increasing it"},
	{"Anthropic", ofPrompt, `prompt is too long: (?P<p>\d+) tokens > (?P<l>\d+) maximum`, "prompt is too long: 70000 tokens > 65536 maximum"},
	{"Fireworks", ofPrompt, `prompt is too long: (?P<p>\d+), model maximum context length: (?P<l>\d+)`, "The prompt is too long: 70000, model maximum context length: 65536"},
	{"xAI", ofPrompt, `maximum prompt length is (?P<l>\d+) but the request contains (?P<p>\d+) tokens`, "This model's maximum prompt length is 65536 but the request contains 70000 tokens."},
	{"Gemini", ofPrompt, `input token count (?:\((?P<p>\d+)\) )?exceeds the maximum number of tokens allowed \((?P<l>\d+)\)`, "The input token count (70000) exceeds the maximum number of tokens allowed (65536)."},
	{"Copilot", ofPrompt, `prompt token count of (?P<p>\d+) exceeds the limit of (?P<l>\d+)`, "prompt token count of 70000 exceeds the limit of 65536"},
	{"Alibaba", ofPrompt, `range of input length should be \[\d+, (?P<l>\d+)\]`, "Range of input length should be [1, 65536]"},
	{"TGI", ofPrompt, "`inputs` must have less than (?P<l>\\d+) tokens(?:\\. given: (?P<p>\\d+))?", "Input validation error: `inputs` must have less than 65536 tokens. Given: 70000"},
	{"Together", ofPrompt, `input \((?P<p>\d+) tokens\) is longer than the model's context length \((?P<l>\d+) tokens\)`, "The input (70000 tokens) is longer than the model's context length (65536 tokens)."},
	{"Mistral", ofPrompt, `prompt contains (?P<p>\d+) tokens.*too large for model with (?P<l>\d+) maximum context length`, "Prompt contains 70000 tokens and 0 draft tokens, too large for model with 65536 maximum context length"},
	{"LM Studio", ofPrompt, `keep the first (?P<p>\d+) tokens .*context length of only (?P<l>\d+)`, "Trying to keep the first 70000 tokens when context the overflows. However, the model is loaded with context length of only 65536 tokens"},
	{"LM Studio", ofPrompt, `tokens to keep from the initial prompt is greater than the context length`, "The number of tokens to keep from the initial prompt is greater than the context length."},
	{"servers", ofPrompt, `prompt has (?P<p>\d+) tokens,? (?:but the configured context size is|limit) (?P<l>\d+)`, "context length exceeded: prompt has 70000 tokens, limit 65536"},
	{"servers", ofPrompt, `(?:prompt|input) length:? \(?(?P<p>\d+)(?: tokens)?\)? exceeds (?:the )?max[a-z ]*?(?: by \d+| \(?(?P<l>\d+)|[^a-z ]|$)`, "Input length 70000 exceeds the maximum 65536"},
	{"Ollama", ofPrompt, `prompt too long`, "prompt too long; exceeded max context length by 4464 tokens"},
	{"Bedrock", ofPrompt, `input is too long`, "Input is too long for requested model."},
	{"GLM", ofPrompt, `prompt exceeds max length`, "Prompt exceeds max length"},
	{"Cohere", ofPrompt, `tokens in the prompt exceeds the limit`, "too many tokens: total number of tokens in the prompt exceeds the limit of 65536"},
	{"servers", ofPrompt, `prompt is too long|input too long|too many input tokens|maximum (?:prompt|allowed input|input) length|input token count|prompt token count|输入过长`, "prompt is too long"},

	{"Anthropic", ofBytes, `request_too_large`, "request_too_large: Request exceeds the maximum size"},
	{"proxies", ofBytes, `(?:request entity|payload|request body|content) too large`, "413 Request Entity Too Large"},

	{"MiniMax", unclear, `context window`, "invalid params, context window exceeds limit (2013)"},
	{"Groq", unclear, `reduce the length`, "Please reduce the length of the messages or completion."},
	{"servers", unclear, `context length|context size|context limit|context_length|maximum context`, "context length exceeded"},
	{"servers", unclear, `token limit exceeded|exceeded token limit|model token limit|too many tokens|exceeds maximum number of tokens|length limit exceeded|request too large`, "token limit exceeded"},
	{"servers", unclear, `reduce your prompt|longer than the maximum|exceeds the limit of|max_prompt`, "Please reduce your prompt"},
	{"servers in China", unclear, `超出最大长度|上下文长度|超过最大`, "上下文长度超过限制"},
}

// patterns are those of the wordings, read once a refusal comes.
var patterns = sync.OnceValue(func() []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(wordings))
	for i, w := range wordings {
		all[i] = regexp.MustCompile(`(?s)` + w.pattern)
	}
	return all
})

// reading is what a refusal says, sizes in tokens; 0 where it does not tell one.
type reading struct {
	about  subject
	prompt int
	whole  int // prompt and reply
	limit  int // the most that the server takes
}

// read reads the words of a refusal.
func read(message string) (r reading) {
	text := plain(message)
	for i, p := range patterns() {
		found := p.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		r.about = wordings[i].about
		for group, name := range p.SubexpNames() {
			n, err := strconv.Atoi(found[group])
			if err != nil { // none, or of no size that a prompt has
				continue
			}
			switch name {
			case "p", "q":
				r.prompt += n
			case "t":
				r.whole = n
			case "l":
				r.limit = n
			}
		}
		return r
	}
	if strings.Contains(text, "max_tokens") || strings.Contains(text, "max_completion_tokens") || strings.Contains(text, "maximum output") {
		r.about = ofReply
		if contains(ofMessages, func(words string) bool { return strings.Contains(text, words) }) {
			r.about = ofNothing
		}
	}
	return r
}

// ofMessages are words of a failure that is not about the reply alone.
var ofMessages = []string{"messages", "prompt", "context", "input tokens", "inputs"}

var comma = regexp.MustCompile(`(\d),(\d\d\d)\b`)

// plain is a text in lower case, its numbers without commas.
func plain(text string) string {
	text = strings.ToLower(text)
	for strings.Contains(text, ",") {
		without := comma.ReplaceAllString(text, "$1$2")
		if without == text {
			break
		}
		text = without
	}
	return text
}
