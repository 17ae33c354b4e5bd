package script

import "testing"

func TestAwk(t *testing.T) {
	both(t, Awk, []string{
		"{print}", "{print $1}", "{ print $1, $NF }", "NR==1", "NR>5 && NR<=10", "/foo/", "/foo/ {print $2}", "!/foo/", "$3 > 100 {print $1}", "NF", "END{print NR}",
		"BEGIN{FS=\":\"} {print $1}", "{s+=$1} END{print s}", "{a[$1]++} END{for (k in a) print k, a[k]}", "{printf \"%-10s %5.2f\\n\", $1, $2}", "{print length($0)}",
		"length($0) {print}", "{print substr($0, 1, 20)}", "{gsub(/a/, \"b\"); print}", "$1 ~ /^a/ {print; next}", "/a/,/b/", "{for(i=1;i<=NF;i++) print $i}",
		"{for(i=NF;i>=1;i--) printf \"%s \", $i; print \"\"}", "{if ($1 > 2) print $1; else print \"x\"}", "{x = $1 / 2; print x}", "{print $1/$2}", "!seen[$0]++", "$2==\"a\"{c++} END{print c+0}",
		"{print FILENAME \":\" FNR \": \" $0}", "{sum += $1; n++} END {if (n > 0) print sum / n}", "{print toupper($1)}", "{$1=\"\"; print}", "{n=split($0, a, \",\"); print a[n]}",
		"{print ($1 == 2) ? \"a\" : \"b\"}", "{delete a[$1]}", "/[[:digit:]]+/", "BEGIN{print 1+2}", "NR%2==0", "{print $1; if ($2 > 3) print}", "{print f;if ($1>2) print}", "{print(1); if ($1>2) print}", "{print a\n if (b > 2) print}", "{a = b\n/x > 1/ {y}}", "{k=$1\n if (k > m) m=k}\nEND{print m}", "",
		"{printf \"%s\\n\", $1}", "{printf(\"%d %s\\n\", NR, $0)}", "END{printf \"\\n\"}", "{print strftime()}", "{print strftime(\"%F\")}", "length > 100", "{$NF=\"\"; print}", "{$(NF-1)=\"x\"; print}", "{NF=3; print}", "{NF=NF-1; print}", "NF--", "{if ($1 > 2) ++n} END{print n}", "{++$2; print}", "{$2++; print}", "{a[NF-1]=(b)}", "/[0-9]{1,3}\\.[0-9]{1,3}/", "{print length, $0}", "length == 0", "{a[NR]=$0} END{for(i=NR;i>0;i--) print a[i]}", "END{for(i=1;i<=NR;i++) print a[i]}",
		"{s = s $0 \"\\n\"} END{print s}", "{a[$1] = a[$1] \" \" $2}", "{$1 = $2 $1; print}", "{$0 = $0 $0; print}", "{x = x \",\" $1; y = y $2} END{print x y}",
		"{c[$1]++; n[$1]=n[$1] $2} END{for(k in c) print k, c[k], n[k]}", "{a=$1 \":\" $2; b=a \"x\"; print b}", "{gsub(/a/, \"bb\"); print}", "{gsub(/\"/, \"\", s); print s}", "{t=t+t; print t}",
	}, []string{
		"BEGIN{system(\"id\")}", "BEGIN{system (\"id\")}", "{print | \"sh\"}", "BEGIN{\"id\"|getline x; print x}", "{print > \"out.txt\"}", "{print >> \"out\"}", "{print $1 > $2}", "{print($1)>\"f\"}",
		"{print (1 > 2)}", "{print a,\n b > \"f\"}", "{print a ?\n b : c > \"f\"}", "{printf \"x\" > \"f\"}", "{getline}", "{getline < \"/etc/shadow\"}", "{while ((getline l < \"f\") > 0) print l}", "{close(\"x\")}",
		"BEGIN{while(1);}", "BEGIN{for(;;);}", "BEGIN{do {} while(1)}", "function f() {f()} {f()}", "BEGIN{print ENVIRON[\"HOME\"]}", "BEGIN{for (k in ENVIRON) print k}", "BEGIN{ARGV[1]=\"/etc/passwd\"}", "BEGIN{ARGC=2}",
		"BEGIN{print PROCINFO[\"pid\"]}", "BEGIN{SYMTAB[\"x\"]=1}", "@include \"x\"", "@load \"x\"", "BEGIN{f=\"system\"; @f(\"id\")}", "{print |& \"sh\"}", "{for(i=1;i<=NF;i++) i=0}", "{for(i=1;i<=NF;i++) i--}", "{for(i=1;i<=NF;i++) --i}",
		"{for(i=1;i<=NF;i++) $(i+1)=1}", "{for(i=1;i<=NF;i++) NF++}", "{for(i=1;i<=NF;i++) NF=i+1}", "{for(i=1;i<=NF;i++) $0=$0 \" a\"}", "{for(i=1;i<=NF;i++) sub(/x/, \"x x\")}", "{for(i=1;i<=9999;i++) print}",
		"{for(i=1;i<=n;i++) print}", "{for(i=1;i<=NF;i--) print}", "{for(i=1;i<=5;i++) for(i=1;i<=2;i++) print}", "{for(i=1;i<=5;i+=0) print}", "{for(i=1;i>=0;i++) print}", "{for(NF=1;NF<=5;NF++) print}",
		"{if (x) /\"/ ; system(\"id\") ; \"/\"}", "{x = (1) / 2 / \"a\"}", "{a++ / 2}", "/[/]/{print}", "/a[/\"]/ {system(\"x\")} #\"", "/=/{print}", "# x", "{print \\\n > \"f\"}", "{print \"a", "/a", "{x ** 2}", "{print 1e99}", "{print 12345678}",
		"{printf \"%99999999d\", 1}", "{printf \"%*d\", $1, 2}", "{foo(1)}", "{foo (1)}", "{length / 2}", "{FOO=1}", "{nextfile}", "{return}", "{print $1 & 2}", "BEGINFILE{}", "{print\n > \"f\"}", "{print;print\n\n > \"f\"}", "{if (1) print\n> \"f\"}", "'", "`id`", "{print awk::system(\"id\")}", "{fflush()}",
		"BEGIN{s=\"x\";for(i=0;i<999;i++)s=s s}", "{a=a a \"x\"}", "{$(999999*999999)=1}", "{n=999999*9; $n=1}", "{NF=999999*999999}", "{$99999=1}", "{++$99999}", "{$99999++}", "{if (1) ++$n}", "{$(NF*9)=1}", "END{NR=999999*999999; for(i=1;i<=NR;i++) print}", "{($1)=2}", "/x{999}{999}/", "$0 ~ \"(x{1,999}){1,999}\"", "BEGIN{n=99999; printf(\"%\" n n \"d\", 1)}", "{printf $0}", "{printf f, 1}", "{x=sprintf(\"%\" n \"d\", 1)}", "{print strftime(\"%2000000000Y\")}", "{print strftime(f)}", "BEGIN{OFMT=\"%\" n n \"f\"}", "{printf \"%\" \"99999\" \"99999d\", 1}", "{a=b b; b=a}", "{a=a b; b=b a}", "{a=sprintf(\"%s%s\", a, a)}", "{a[1]=a[1] a[1]}", "{a[i+1]=a[i] a[i]; i++}",
		"{s=s \"x\"; gsub(/x/, \"xx\", s)}", "{gsub(/x/, \"&&\", s)}", "{sub(/x/, s, s)}", "{$0=s; $0=$0 $0; s=$0}", "{for(k in a) $0=$0 $0}", "{s=gensub(/x/, \"xx\", \"g\", s) s}",
		"{for(i=1;i<=999;i++) for(j=1;j<=999;j++) s=s \"xxxxxxxx\"}", "{for(i=NR;i>0;i--) print}", "END{for(i=1;i<=NR;i++) NR++}", "{split(s s, a); s=a[1] a[1]}",
		"{a[s s]; for(k in a) s=k}",
	})
	both(t, AwkVariable, []string{"x", "n", "FS", "my_var2"}, []string{"", "OFMT", "CONVFMT", "NR", "NF", "FNR", "ENVIRON", "ARGV", "a-b", "1a", "getline", "length", "if"})
}

func FuzzAwk(f *testing.F) {
	for _, s := range []string{"{print $1}", "{for(i=1;i<=NF;i++) print $i}", "/[[:a:]]/ {x = $1 / 2}", "{print a,\n b > \"f\"}", "BEGIN{system(\"id\")}", "{gsub(/a/,", "{a = a[b] c; sub(x, \"&\", d[1])}", "{for(k in a) $(NF-1) = sprintf(\"%s\", k)}", "{split(a, b); NF=", "{--$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if Awk(src) && (Awk(src+"\nBEGIN{system(\"id\")}") || Awk(src+"\n{print > \"f\"}") || Awk(src+"\n{print | \"sh\"}")) {
			t.Errorf("%q: a rule more writes", src)
		}
	})
}
