package schedule

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func rhythm(t testing.TB, spec, in string) Schedule {
	t.Helper()
	s, err := Cron(spec, zone(t, in))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const form = "2006-01-02 15:04 -0700"

func when(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(form, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name, spec, zone, after string
		want                    []string
	}{
		{"every working day", "0 9 * * 1-5", "Europe/Berlin", "2026-11-27 09:00 +0100",
			[]string{"2026-11-30 09:00 +0100", "2026-12-01 09:00 +0100"}},
		{"either day counts", "0 0 13 * FRI", "UTC", "2026-11-10 00:00 +0000",
			[]string{"2026-11-13 00:00 +0000", "2026-11-20 00:00 +0000", "2026-11-27 00:00 +0000"}},
		{"a leap day over a century that has none", "0 12 29 2 *", "UTC", "2096-03-01 00:00 +0000",
			[]string{"2104-02-29 12:00 +0000"}},
		{"across a change, the wall's clock", "30 8 * * *", "America/New_York", "2026-03-07 09:00 -0500",
			[]string{"2026-03-08 08:30 -0400", "2026-03-09 08:30 -0400"}},

		{"left out, it runs when the hour would have begun", "30 2 * * *", "Europe/Berlin", "2026-03-28 03:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"left out beside one that is not", "30 2,3 * * *", "Europe/Berlin", "2026-03-28 23:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-29 03:30 +0200", "2026-03-30 02:30 +0200"}},
		{"left out twice is once", "15,45 2 * * *", "Europe/Berlin", "2026-03-28 23:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:15 +0200"}},
		{"left out at midnight", "0 0 * * *", "America/Santiago", "2026-09-05 12:00 -0400",
			[]string{"2026-09-06 01:00 -0300", "2026-09-07 00:00 -0300"}},
		{"half an hour left out", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00 +1030",
			[]string{"2026-10-04 02:30 +1100", "2026-10-05 02:15 +1100"}},
		{"a whole day left out", "0 9 * * *", "Pacific/Apia", "2011-12-29 10:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2011-12-31 09:00 +1400", "2012-01-01 09:00 +1400"}},

		{"twice, it runs the first time", "30 2 * * *", "Europe/Berlin", "2026-10-24 12:00 +0200",
			[]string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"twice, asked between the two", "30 2 * * *", "Europe/Berlin", "2026-10-25 02:45 +0200",
			[]string{"2026-10-26 02:30 +0100"}},
		{"twice, asked in the second", "30 2 * * *", "Europe/Berlin", "2026-10-25 02:10 +0100",
			[]string{"2026-10-26 02:30 +0100"}},
		{"twice, and the hour behind it", "0 2,3 * * *", "Europe/Berlin", "2026-10-25 00:00 +0200",
			[]string{"2026-10-25 02:00 +0200", "2026-10-25 03:00 +0100", "2026-10-26 02:00 +0100"}},

		{"real time, hour left out", "*/30 * * * *", "Europe/Berlin", "2026-03-29 01:15 +0100",
			[]string{"2026-03-29 01:30 +0100", "2026-03-29 03:00 +0200", "2026-03-29 03:30 +0200"}},
		{"real time, hour that comes twice", "0 * * * *", "Europe/Berlin", "2026-10-25 01:30 +0200",
			[]string{"2026-10-25 02:00 +0200", "2026-10-25 02:00 +0100", "2026-10-25 03:00 +0100"}},
		{"hourly is real time", "@hourly", "Europe/Berlin", "2026-10-25 02:00 +0200", []string{"2026-10-25 02:00 +0100"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := rhythm(t, tt.spec, tt.zone)
			var got []string
			at := when(t, tt.after)
			for range tt.want {
				at = s.Next(at)
				got = append(got, at.Format(form))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestOnce(t *testing.T) {
	for _, tt := range []struct{ text, zone, want string }{
		{"2026-12-24T18:00", "Europe/Berlin", "2026-12-24 18:00 +0100"},
		{" 2026-12-24 18:00:30 ", "Asia/Tokyo", "2026-12-24 18:00 +0900"},
		{"2026-12-24T18:00:00-05:00", "Europe/Berlin", "2026-12-24 18:00 -0500"},
		{"2026-03-29T02:30", "Europe/Berlin", "2026-03-29 03:00 +0200"},
		{"2026-10-25T02:30", "Europe/Berlin", "2026-10-25 02:30 +0200"},
		{"2011-12-30T12:00", "Pacific/Apia", "2011-12-31 00:00 +1400"},
	} {
		s, err := Once(tt.text, zone(t, tt.zone))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		want := when(t, tt.want)
		if got := s.Next(want.Add(-time.Hour)).Truncate(time.Minute); !got.Equal(want) {
			t.Errorf("%s in %s is %s, want %s", tt.text, tt.zone, got.Format(form), tt.want)
		}
		if got := s.Next(want.Add(time.Minute)); !got.IsZero() {
			t.Errorf("%s comes again at %s", tt.text, got)
		}
	}
}

func TestWrong(t *testing.T) {
	for spec, want := range map[string]error{
		"": ErrRhythm, "* * * *": ErrRhythm, "60 * * * *": ErrRhythm, "* * * * * *": ErrRhythm, "@every 1h": ErrRhythm, "@reboot": ErrRhythm,
		"TZ=UTC 0 9 * * *": ErrRhythm, "0 9 * * 8": ErrRhythm, "*/0 * * * *": ErrRhythm, "H 9 * * *": ErrRhythm,
		"0 0 30 2 *": ErrNever, "0 0 31 4,6,9,11 *": ErrNever,
	} {
		if _, err := Cron(spec, time.UTC); !errors.Is(err, want) {
			t.Errorf("%q gives %v, want %v", spec, err, want)
		}
	}
	for _, text := range []string{"", "tomorrow", "2026-13-01T00:00", "18:00"} {
		if _, err := Once(text, time.UTC); !errors.Is(err, ErrTime) {
			t.Errorf("%q gives %v", text, err)
		}
	}
}

func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		spec, due, now, newest string
		times                  int
	}{
		{"0 9 * * *", "2026-11-30 09:00 +0000", "2026-11-30 08:59 +0000", "", 0},
		{"0 9 * * *", "2026-11-30 09:00 +0000", "2026-11-30 09:00 +0000", "2026-11-30 09:00 +0000", 1},
		{"0 9 * * *", "2026-11-27 09:00 +0000", "2026-11-30 12:00 +0000", "2026-11-30 09:00 +0000", 4},
		{"* * * * *", "2016-01-01 00:00 +0000", "2026-11-30 12:00 +0000", "2026-11-30 12:00 +0000", Most},
		{"* 9 * * *", "2016-01-01 09:00 +0000", "2026-11-30 12:00 +0000", "2026-11-30 09:59 +0000", Most},
	} {
		newest, times := rhythm(t, tt.spec, "UTC").Missed(when(t, tt.due), when(t, tt.now))
		got := ""
		if !newest.IsZero() {
			got = newest.Format(form)
		}
		if got != tt.newest || times != tt.times {
			t.Errorf("%s from %s: %s, %d times; want %s, %d", tt.spec, tt.due, got, times, tt.newest, tt.times)
		}
	}
}

// TestAgainstEveryMinute compares with what looking at each minute finds.
func TestAgainstEveryMinute(t *testing.T) {
	names := []string{"UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"}
	rapid.Check(t, func(r *rapid.T) {
		in := zone(t, rapid.SampledFrom(names).Draw(r, "zone"))
		minute, hour := rapid.IntRange(0, 59).Draw(r, "minute"), rapid.IntRange(0, 5).Draw(r, "hour")
		s, err := Cron(time.Date(2026, 1, 1, hour, minute, 0, 0, time.UTC).Format("4 15")+" * * *", in)
		if err != nil {
			r.Fatal(err)
		}
		from := time.Unix(rapid.Int64Range(1_767_225_600, 1_798_761_600).Draw(r, "from"), 0).Truncate(time.Minute).In(in)
		got := s.Next(from)
		if !got.After(from) {
			r.Fatalf("%s is not after %s", got, from)
		}
		if got.Sub(from) > 26*time.Hour {
			r.Fatalf("nothing for %s after %s", got.Sub(from), from)
		}
		shows := func(at time.Time) bool { h, m, _ := at.Clock(); return h == hour && m == minute }
		for at := from.Add(time.Minute); at.Before(got); at = at.Add(time.Minute) {
			if !shows(at) {
				continue
			}
			// The one excuse: it showed so before, since the clock was set back.
			begin, _ := at.ZoneBounds()
			if again := at.Sub(begin); begin.IsZero() || again > time.Hour {
				r.Fatalf("%s was passed over on the way from %s to %s", at, from, got)
			}
		}
		if begin, _ := got.ZoneBounds(); !shows(got) && !got.Equal(begin) {
			r.Fatalf("%s shows another time", got)
		}
	})
}

func FuzzCron(f *testing.F) {
	for _, s := range []string{"0 9 * * 1-5", "*/5 1,2 L * FRI#2", "@daily", "@every 1h", "5-1 * * * *", "0 0 31 2 *"} {
		f.Add(s)
	}
	berlin := zone(f, "Europe/Berlin")
	start := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := Cron(spec, berlin)
		if err != nil {
			return
		}
		at := start
		for range 5 {
			next := s.Next(at)
			if !next.After(at) {
				t.Fatalf("%q: %s is not after %s", spec, next, at)
			}
			at = next
		}
	})
}
