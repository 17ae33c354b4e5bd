package budget

import "math"

// MaxDensity bounds how many times its own price the Harness's figure may stand for; a
// measurement beyond it is an error of the server. The bound is our choice.
const MaxDensity = 8

// Density is how many tokens of the model's server one token of the Harness's estimate
// stands for: measured is the prompt as the server counted it, harness the Harness's
// price of the same prompt. It is 1 where either is missing (0), and never less, so that
// no price shrinks.
func Density(measured, harness int) float64 {
	if measured <= 0 || harness <= 0 {
		return 1
	}
	return min(MaxDensity, max(1, float64(measured)/float64(harness)))
}

// Pressure is how many tokens a chat's next prompt has: the last one that the server
// counted, and what changed since at the density that this count showed. Never less than
// the Harness's own price. measured is 0 before the first count, then and now are the
// Harness's prices at that count and of the coming prompt.
func Pressure(measured, then, now int) int {
	// The conversion keeps the compiler from fusing both steps, which rounds otherwise
	// on some processors.
	change := float64(Density(measured, then) * float64(now-then))
	return max(now, ceil(float64(measured)+change))
}

// NodePrice is the price of one part of the history at that density.
func NodePrice(tokens int, density float64) int {
	return ceil(float64(tokens) * density)
}

func ceil(f float64) int {
	return int(math.Ceil(f))
}
