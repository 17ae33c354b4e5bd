package replycut

import "testing"

func TestGoOn(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  Cut
		want bool
	}{
		{"the first", Cut{}, true},
		{"the second", Cut{Before: 1}, true},
		{"the third", Cut{Before: 2}, false},
		{"empty with room", Cut{Empty: true, Percent: 84}, true},
		{"empty without room", Cut{Empty: true, Percent: 85}, false},
		{"text without room", Cut{Percent: 99}, true},
	} {
		if got := GoOn(tt.cut); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
