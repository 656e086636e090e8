// verify.go - a log of ours, judged by packages that are not: golang.org/x/mod/sumdb/note and tlog.
//
//	verify DIR            checkpoint, tiles, bundles, every entry in the signed tree
//	verify DIR OLD        and the checkpoint in the file OLD is of a beginning of it
//	verify DIR -proof F   and the tlog-proof in the file F is of an entry of it
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error, what string) {
	if err != nil {
		fmt.Println(what+":", err)
		os.Exit(1)
	}
}

func check(good bool, what string, args ...interface{}) {
	if !good {
		fmt.Printf(what+"\n", args...)
		os.Exit(1)
	}
}

// tiles reads C2SP tlog-tiles: the same tiles as Go's, at other names.
type tiles struct{ dir string }

func (t tiles) path(tile tlog.Tile) string {
	p := tile.Path() // tile/8/LEVEL/...
	return filepath.Join(t.dir, "tile", strings.TrimPrefix(p, "tile/8/"))
}
func (t tiles) Height() int { return 8 }
func (t tiles) ReadTiles(list []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range list {
		b, err := os.ReadFile(t.path(tile))
		if err != nil {
			return nil, err
		}
		data = append(data, b)
	}
	return data, nil
}
func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func parse(text string) (origin string, tree tlog.Tree) {
	lines := strings.Split(text, "\n")
	check(len(lines) == 4, "a checkpoint of %d lines", len(lines))
	n, err := strconv.ParseInt(lines[1], 10, 64)
	must(err, "size")
	h, err := tlog.ParseHash(lines[2])
	must(err, "root")
	return lines[0], tlog.Tree{N: n, Hash: h}
}

func open(msg []byte, keys note.Verifiers) tlog.Tree {
	n, err := note.Open(msg, keys)
	must(err, "checkpoint")
	origin, tree := parse(n.Text)
	check(origin == n.Sigs[0].Name, "signed by %s", n.Sigs[0].Name)
	return tree
}

// hashes re-computes the chain from the segments.
func hashes(dir string) (all [][]byte) {
	files, err := filepath.Glob(filepath.Join(dir, "seg", "*.jsonl"))
	must(err, "segments")
	sort.Strings(files)
	prev := strings.Repeat("0", 64)
	for _, name := range files {
		f, err := os.Open(name)
		must(err, "segment")
		lines := bufio.NewReaderSize(f, 1<<21)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			at := strings.LastIndex(line, `,"hash":"`)
			check(at > 0, "entry %d has no hash", len(all))
			sum := sha256.Sum256([]byte(line[:at] + "}"))
			check(line[at+9:at+73] == hex.EncodeToString(sum[:]), "entry %d was changed", len(all))
			check(strings.HasSuffix(line[:at], `"prev_hash":"`+prev+`"`), "entry %d does not follow the one before", len(all))
			check(strings.HasPrefix(line, fmt.Sprintf(`{"v":1,"seq":%d,`, len(all))), "entry %d is not in its place", len(all))
			prev = hex.EncodeToString(sum[:])
			all = append(all, sum[:])
		}
	}
	return all
}

func proof(file string, keys note.Verifiers, all [][]byte) {
	b, err := os.ReadFile(file)
	must(err, "proof")
	parts := bytes.SplitN(b, []byte("\n\n"), 2)
	lines := strings.Split(string(parts[0]), "\n")
	check(lines[0] == "c2sp.org/tlog-proof@v1", "not a tlog-proof")
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	must(err, "index")
	var p tlog.RecordProof
	for _, line := range lines[2:] {
		h, err := tlog.ParseHash(line)
		must(err, "path")
		p = append(p, h)
	}
	tree := open(parts[1], keys)
	must(tlog.CheckRecord(p, tree.N, tree.Hash, index, tlog.RecordHash(all[index])), "inclusion")
	fmt.Println("proof of", index)
}

func main() {
	dir := os.Args[1]
	var keys []note.Verifier
	for epoch := 0; ; epoch++ {
		b, err := os.ReadFile(filepath.Join(dir, "keys", fmt.Sprintf("epoch-%d.vkey", epoch)))
		if err != nil {
			break
		}
		v, err := note.NewVerifier(strings.TrimSpace(string(b)))
		must(err, "vkey")
		keys = append(keys, v)
	}
	list := note.VerifierList(keys...)
	msg, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	must(err, "checkpoint")
	tree := open(msg, list)
	all := hashes(dir)
	check(int64(len(all)) == tree.N, "%d entries, but a checkpoint of %d", len(all), tree.N)
	reader := tlog.TileHashReader(tree, tiles{dir})
	root, err := tlog.TreeHash(tree.N, reader)
	must(err, "tree")
	check(root == tree.Hash, "the tiles lead to another root")
	for i, h := range all {
		got, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, int64(i))})
		must(err, "leaf")
		check(got[0] == tlog.RecordHash(h), "leaf %d not in tree", i)
	}
	for n := int64(0); n*256 < tree.N; n++ {
		t := tlog.Tile{H: 8, L: -1, N: n, W: 256}
		if tree.N-n*256 < 256 {
			t.W = int(tree.N - n*256)
		}
		name := strings.Replace(t.Path(), "tile/8/data", "tile/entries", 1)
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(err, "bundle")
		var want []byte
		for _, h := range all[n*256 : n*256+int64(t.W)] {
			want = append(append(want, 0, 32), h...)
		}
		check(bytes.Equal(b, want), "bundle %d has other entries", n)
	}
	if len(os.Args) == 3 {
		b, err := os.ReadFile(os.Args[2])
		must(err, "old checkpoint")
		old := open(b, list)
		p, err := tlog.ProveTree(tree.N, old.N, reader)
		must(err, "consistency")
		must(tlog.CheckTree(p, tree.N, tree.Hash, old.N, old.Hash), "consistency")
		fmt.Println("grown from", old.N)
	}
	if len(os.Args) == 4 {
		proof(os.Args[3], list, all)
	}
	fmt.Println("good:", tree.N)
}
