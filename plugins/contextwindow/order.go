package contextwindow

// order is what the model sees, in its order. After a replacement seqs are in none, so that
// a node is found by its seq, and what a replacement costs is what it takes away.
type order struct {
	last   *node
	at     map[int64]*node
	walked int // nodes that replacements looked at, all in all
}

// node is a message that the model sees.
type node struct {
	seq    int64
	tokens int
	next   *node
}

// add puts a message at the end.
func (o *order) add(seq int64, tokens int) {
	if o.at == nil {
		o.at = map[int64]*node{}
	}
	n := &node{seq: seq, tokens: tokens}
	if o.last != nil {
		o.last.next = n
	}
	o.last, o.at[seq] = n, n
}

// replace puts one message in the place of those from start to end, and gives their price;
// ok is false where they are not there in that order, and nothing is changed.
func (o *order) replace(start, end, seq int64, tokens int) (gone int, ok bool) {
	first, last := o.at[start], o.at[end]
	if first == nil || last == nil {
		return 0, false
	}
	for n := first; ; n = n.next {
		if n == nil {
			return 0, false
		}
		o.walked++
		if gone += n.tokens; n == last {
			break
		}
	}
	for n := first; ; n = n.next {
		if delete(o.at, n.seq); n == last {
			break
		}
	}
	if o.last == last {
		o.last = first
	}
	first.seq, first.tokens, first.next = seq, tokens, last.next
	o.at[seq] = first
	return gone, true
}
