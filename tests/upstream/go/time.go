// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"time"
)

// Go 1.20 and later refuse a time that has a fraction and no seconds.
var noSeconds = regexp.MustCompile(`:[.,]`)

// Go 1.20 and later refuse an offset of more than 24 hours or 60 minutes; before, any was taken.
var offset = regexp.MustCompile(`[+-](\d\d):(\d\d)$`)

func judgeTime(text string) (interface{}, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || noSeconds.MatchString(text) {
		return Refused{}, true
	}
	if parts := offset.FindStringSubmatch(text); parts != nil {
		hours, _ := strconv.Atoi(parts[1])
		minutes, _ := strconv.Atoi(parts[2])
		if hours > 24 || minutes > 60 {
			return Refused{}, true
		}
	}
	return at.Unix(), true
}

func two(r *rand.Rand, max int) string {
	n := r.Intn(max + 1)
	if n == max && r.Intn(3) > 0 {
		n = 1
	}
	if r.Intn(40) == 0 {
		n = r.Intn(100)
	}
	if r.Intn(40) == 0 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%02d", n)
}

func makeTime(r *rand.Rand) Case {
	year := fmt.Sprintf("%04d", 1990+r.Intn(60))
	if r.Intn(6) == 0 {
		year = fmt.Sprintf("%04d", r.Intn(10000))
	}
	text := year + "-" + fmt.Sprintf("%02d", 1+r.Intn(12+r.Intn(9)/8)) + "-" + fmt.Sprintf("%02d", 1+r.Intn(28+4*(r.Intn(4)/3))) +
		pick(r, words("T T T T T T T T T T T T T T T T t _")...) +
		two(r, 24) + ":" + two(r, 60) + ":" + two(r, 60)
	if r.Intn(3) == 0 {
		text += pick(r, ".", ".", ".", ".", ".", ".", ",", ",", ":") + pick(r, "1", "9", "5", "") + digits(r, 12)
	}
	if r.Intn(2) == 0 {
		text += pick(r, words("Z Z Z Z Z Z Z Z Z z UTC")...)
	} else {
		text += pick(r, "+", "-") + two(r, 25) + pick(r, words(": : : : : : : : -")...) + two(r, 61)
	}
	if r.Intn(8) == 0 {
		text = torn(r, text, "0123456789-:TZ+., ")
	}
	return TextCase{"time", text, judgeTime}
}
