// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/big"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
)

// TextCase is a text that means something, or not.
type TextCase struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	// judge is the kind's.
	judge func(text string) (interface{}, bool)
}

func (c TextCase) Judge() (interface{}, bool) {
	return c.judge(c.Text)
}

func (c TextCase) Smaller() []Case {
	var all []Case
	for _, text := range shorter(c.Text) {
		all = append(all, TextCase{c.Kind, text, c.judge})
	}
	return all
}

// The format of Kubernetes' quantities: this is no code of it, which the standard library has not.
var quantityForm = regexp.MustCompile(`^([+-]?)([0-9]*)(?:\.([0-9]*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+|)$`)

var decimals = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}

func power(base, n int) *big.Rat {
	x := new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(abs(n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), x)
	}
	return new(big.Rat).SetInt(x)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// suffixed gives the factor of a suffix, and whether it is a binary one.
func suffixed(suffix string) (factor *big.Rat, exponent int, binary int, ok bool) {
	if strings.HasSuffix(suffix, "i") {
		binary = 10 * (1 + strings.Index("KMGTPE", suffix[:1]))
		return power(2, binary), 0, binary, true
	}
	exponent, ok = decimals[suffix]
	if !ok {
		wide, err := strconv.ParseInt(suffix[1:], 10, 64)
		if err != nil {
			return nil, 0, 0, false
		}
		exponent = int(int32(wide))
	}
	if abs(exponent) > 2000 {
		return nil, exponent, 0, true
	}
	return power(10, exponent), exponent, 0, true
}

// up is to a billionth, away from zero.
func up(x *big.Rat) *big.Rat {
	billion := big.NewRat(1000000000, 1)
	nano := new(big.Rat).Mul(new(big.Rat).Abs(x), billion)
	whole, rest := new(big.Int).QuoRem(nano.Num(), nano.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if x.Sign() < 0 {
		whole.Neg(whole)
	}
	return new(big.Rat).SetFrac(whole, big.NewInt(1000000000))
}

func decimal(x *big.Rat) string {
	s := x.FloatString(9)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

func judgeQuantity(text string) (interface{}, bool) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil || text == "" {
		return Refused{}, true
	}
	whole, fraction := strings.TrimLeft(parts[2], "0"), parts[3]
	factor, exponent, binary, ok := suffixed(parts[4])
	if !ok {
		return Refused{}, true
	}
	if parts[2] == "" && fraction == "" {
		// Where it is kept as an int64 nothing is 0.
		if binary > 40 || exponent < -9 {
			return Refused{}, true
		}
		return "0", true
	}
	value, _ := new(big.Rat).SetString("0" + whole + "." + fraction + "0")
	if factor == nil {
		return nil, false
	}
	value.Mul(value, factor)
	value = up(value)
	if most := new(big.Rat).SetInt64(9223372036854775807); binary > 0 && value.Cmp(most) > 0 {
		value = most
	}
	if parts[1] == "-" {
		value.Neg(value)
	}
	return decimal(value), true
}

func digits(r *rand.Rand, most int) string {
	var b strings.Builder
	for i := r.Intn(most); i > 0; i-- {
		b.WriteString(pick(r, "0", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9"))
	}
	return b.String()
}

func makeQuantity(r *rand.Rand) Case {
	most := []int{3, 8, 8, 8, 12, 20, 20, 45}[r.Intn(8)]
	text := pick(r, "", "", "", "", "-", "+") + digits(r, most)
	if r.Intn(3) == 0 {
		text += "." + digits(r, most)
	}
	switch r.Intn(5) {
	case 0:
		text += pick(r, "e", "E") + pick(r, "", "-", "+") + digits(r, 4)
	case 1, 2:
		text += pick(r, "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
	default:
		text += pick(r, "", "n", "u", "m", "k", "M", "G", "T", "P", "E")
	}
	if r.Intn(8) == 0 {
		text = torn(r, text, "0123456789.eEinumkKMGTP+- µZ")
	}
	return TextCase{"quantity", text, judgeQuantity}
}
