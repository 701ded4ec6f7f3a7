// go run bits_and_blooms.go FOLDER: filters that bits-and-blooms writes, and what it answers.
// tests/foreign/README.md says which keys.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"github.com/bits-and-blooms/bloom"
)

const strangers = 1000

var folder = os.Args[1]

func number(i int) []byte {
	key := make([]byte, 8)
	binary.LittleEndian.PutUint64(key, uint64(i)*0x9E3779B97F4A7C15)
	return key
}

func text(i int) []byte {
	key := fmt.Sprintf("schl\u00FCssel %d%s", i, strings.Repeat("x", i%50))
	if i%2 != 0 {
		key += "\u00E9"
	}
	return []byte(key)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write(name string, filter *bloom.BloomFilter, n int, key func(int) []byte) {
	for i := 0; i < n; i++ {
		filter.Add(key(i))
	}
	file, err := os.Create(folder + "/" + name + ".bin")
	check(err)
	_, err = filter.WriteTo(file)
	check(err)
	check(file.Close())
	answers := make([]byte, strangers/8)
	for i := 0; i < strangers; i++ {
		if filter.Test(key(n + i)) {
			answers[i/8] |= 1 << (i % 8)
		}
	}
	check(os.WriteFile(folder+"/"+name+".answers", answers, 0o644))
}

func main() {
	write("bits_and_blooms_integers_1", bloom.NewWithEstimates(1, 0.03), 1, number)
	write("bits_and_blooms_integers_500", bloom.NewWithEstimates(500, 0.03), 500, number)
	write("bits_and_blooms_text_500", bloom.NewWithEstimates(500, 0.01), 500, text)
	// A bit set that is longer than the bits that keys set.
	write("bits_and_blooms_longer_100", bloom.FromWithM(make([]uint64, 20), 1000, 4), 100, text)
}
