package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a computer may have none

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tasks/schedule"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Limits of a task.
const (
	MaxTasks       = 200
	MaxName        = 100    // characters
	MaxText        = 20_000 // characters
	MaxMinutes     = 24 * 60
	defaultMinutes = 60
)

// tidy puts a spec into the form that it is kept in.
func tidy(s chat.TaskSpec) chat.TaskSpec {
	s.Name = strings.Join(strings.Fields(s.Name), " ")
	s.Cron = strings.Join(strings.Fields(s.Cron), " ")
	s.At, s.Zone = strings.TrimSpace(s.At), strings.TrimSpace(s.Zone)
	s.Mode = cmp.Or(strings.ToLower(strings.TrimSpace(s.Mode)), string(abi.Plan))
	s.MaxMinutes = cmp.Or(s.MaxMinutes, defaultMinutes)
	return s
}

// check makes the schedule of a tidy spec, or says in a sentence what is wrong.
// Local is the zone of one that names none.
func check(s chat.TaskSpec, local *time.Location) (schedule.Schedule, *chat.Error) {
	no := func(details, key string, args ...string) (schedule.Schedule, *chat.Error) {
		return schedule.Schedule{}, say.Error(chat.CodeBadRequest, details, key, args...)
	}
	switch n := len([]rune(s.Name)); {
	case n == 0 || n > MaxName:
		return no("name", say.TaskName, "max", fmt.Sprint(MaxName))
	case strings.TrimSpace(s.Text) == "" || len([]rune(s.Text)) > MaxText:
		return no("text", say.TaskText, "max", fmt.Sprint(MaxText))
	case (s.Cron == "") == (s.At == ""):
		return no("cron, at", say.TaskWhen)
	case !slices.Contains([]string{string(abi.Plan), string(abi.Manual), string(abi.Bypass)}, s.Mode):
		return no("mode", say.TaskMode, "mode", s.Mode)
	case s.MaxMinutes < 1 || s.MaxMinutes > MaxMinutes:
		return no("maxMinutes", say.TaskMinutes, "max", fmt.Sprint(MaxMinutes))
	}
	if s.CWD != "" {
		if info, err := os.Stat(s.CWD); !filepath.IsAbs(s.CWD) || err != nil || !info.IsDir() {
			return no("cwd", say.NoFolder, "folder", s.CWD)
		}
	}
	return plan(s, local)
}

// plan makes the schedule of a spec.
func plan(s chat.TaskSpec, local *time.Location) (schedule.Schedule, *chat.Error) {
	zone := local
	if s.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" {
			return schedule.Schedule{}, say.Error(chat.CodeBadRequest, "zone", say.TaskZone, "zone", s.Zone)
		}
	}
	if s.At != "" {
		made, err := schedule.Once(s.At, zone)
		if err != nil {
			return made, say.Error(chat.CodeBadRequest, err.Error(), say.TaskTime, "time", s.At)
		}
		return made, nil
	}
	made, err := schedule.Cron(s.Cron, zone)
	switch {
	case errors.Is(err, schedule.ErrNever):
		return made, say.Error(chat.CodeBadRequest, err.Error(), say.TaskNever, "rhythm", s.Cron)
	case err != nil:
		return made, say.Error(chat.CodeBadRequest, err.Error(), say.TaskRhythm, "rhythm", s.Cron)
	}
	return made, nil
}

// patched is a spec with a person's changes.
func patched(s chat.TaskSpec, p chat.TaskPatch) chat.TaskSpec {
	if p.Cron != nil && *p.Cron != "" && p.At == nil {
		s.At = ""
	}
	if p.At != nil && *p.At != "" && p.Cron == nil {
		s.Cron = ""
	}
	set(&s.Name, p.Name)
	set(&s.Text, p.Text)
	set(&s.Cron, p.Cron)
	set(&s.At, p.At)
	set(&s.Zone, p.Zone)
	set(&s.Mode, p.Mode)
	set(&s.Model, p.Model)
	set(&s.Thinking, p.Thinking)
	set(&s.CWD, p.CWD)
	set(&s.MaxMinutes, p.MaxMinutes)
	set(&s.Disabled, p.Disabled)
	return tidy(s)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
