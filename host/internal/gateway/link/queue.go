package link

// Queue is a queue bounded by count and by size. The zero value is empty; its owner
// locks.
type Queue[T any] struct {
	items []sized[T]
	head  int
	bytes int
}

type sized[T any] struct {
	item T
	size int
}

// Put adds an item unless that would exceed a bound. The first item always fits,
// so that one that is larger than the bound can pass.
func (f *Queue[T]) Put(item T, size, maxItems, maxBytes int) bool {
	n := f.Len()
	if n > 0 && (n >= maxItems || f.bytes+size > maxBytes) {
		return false
	}
	if len(f.items) == cap(f.items) && f.head*2 > len(f.items) { // move instead of growing
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, sized[T]{item, size})
	f.bytes += size
	return true
}

// Len counts the items.
func (f *Queue[T]) Len() int { return len(f.items) - f.head }

// Size is what the items were said to take.
func (f *Queue[T]) Size() int { return f.bytes }

// Take removes the oldest item.
func (f *Queue[T]) Take() (item T, ok bool) {
	if f.head == len(f.items) {
		return item, false
	}
	first := f.items[f.head]
	f.items[f.head] = sized[T]{}
	f.head++
	f.bytes -= first.size
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return first.item, true
}

// Drop empties the queue and lets go of its memory.
func (f *Queue[T]) Drop() { *f = Queue[T]{} }
