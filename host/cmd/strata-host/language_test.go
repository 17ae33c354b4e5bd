package main

import "testing"

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"},
		{map[string]string{"LANG": "de_AT.UTF-8"}, "de"},
		{map[string]string{"LANG": "de_DE@euro"}, "de"},
		{map[string]string{"LANG": "de_DE", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr"},
		{map[string]string{"LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "C.UTF-8"}, "en"},
		{map[string]string{"LANG": "pt_BR.UTF-8", "LC_ALL": ""}, "pt-BR"},
		{map[string]string{"LANG": "zh_TW.UTF-8"}, "en"},
		{map[string]string{"LANG": "POSIX"}, "en"},
	} {
		if got := language(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.env, got, tt.want)
		}
	}
}
