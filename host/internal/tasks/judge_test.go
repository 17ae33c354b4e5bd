package tasks

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/tasks/schedule"
)

func TestJudge(t *testing.T) {
	daily, err := schedule.Cron("0 9 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	once, err := schedule.Once("2026-03-10T09:00", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		w, err := time.Parse("02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(2026, 3, w.Day(), w.Hour(), w.Minute(), 0, 0, time.UTC)
	}
	type want struct {
		run, next, last string
		times           int
	}
	for _, tt := range []struct {
		name           string
		s              schedule.Schedule
		due, last, now string
		want           want
	}{
		{"not yet", daily, "10 09:00", "09 09:00", "10 08:59", want{next: "10 09:00", last: "09 09:00"}},
		{"never", daily, "", "", "10 09:00", want{}},
		{"on time", daily, "10 09:00", "09 09:00", "10 09:00", want{run: "10 09:00", next: "11 09:00", last: "10 09:00"}},
		{"late", daily, "10 09:00", "", "10 21:00", want{run: "10 09:00", next: "11 09:00", last: "10 09:00"}},
		{"too late", daily, "10 09:00", "", "10 21:01", want{next: "11 09:00", last: "10 09:00", times: 1}},
		{"the computer slept for days, the newest is late", daily, "10 09:00", "", "13 10:00", want{run: "13 09:00", next: "14 09:00", last: "13 09:00", times: 3}},
		{"the computer slept for days, all too late", daily, "10 09:00", "", "13 22:00", want{next: "14 09:00", last: "13 09:00", times: 4}},
		{"one time", once, "10 09:00", "", "10 09:30", want{run: "10 09:00", last: "10 09:00"}},
		{"one time, too late", once, "10 09:00", "", "11 09:30", want{last: "10 09:00", times: 1}},
		{"the clock was set back by an hour", daily, "11 09:00", "10 09:00", "10 08:30", want{next: "11 09:00", last: "10 09:00"}},
		{"the clock was set back by days", daily, "21 09:00", "20 09:00", "10 08:30", want{next: "10 09:00"}},
		{"set back before a time that is over", once, "", "10 09:00", "09 08:00", want{next: "10 09:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge(tt.s, moment{due: at(tt.due), last: at(tt.last)}, at(tt.now))
			wanted := verdict{run: tt.want.run != "", times: tt.want.times, next: moment{due: at(tt.want.next), last: at(tt.want.last)}}
			if wanted.run {
				wanted.due = at(tt.want.run)
			}
			if !v.run {
				v.due = time.Time{}
			}
			if d := cmp.Diff(wanted, v, cmp.AllowUnexported(verdict{}, moment{})); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
