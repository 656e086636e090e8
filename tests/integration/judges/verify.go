// verify.go - a log of ours, judged by packages that are not: golang.org/x/mod/sumdb/note and tlog.
//
//	verify DIR            checkpoint, tiles, bundles, every entry and every signature in the signed tree
//	verify DIR OLD        and the checkpoint in the file OLD is of a beginning of it
//	verify DIR -proof F   and the tlog-proof in the file F is of an entry of it
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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

// entries is what the segments hold: of each entry its hash, the epoch whose key signs it, and where it carries them
// root and signature.
type entries struct {
	hash  [][]byte
	epoch []int
	seal  map[int][2]string
	keys  []note.Verifier
}

// signer is the one key that may sign a tree of n entries: note would take any key of its list, and one whose epoch is
// over may be in the wrong hands.
func (e *entries) signer(n int64) note.Verifier {
	check(n > 0 && len(e.epoch) > 0, "a tree of %d entries", n)
	epoch := e.epoch[len(e.epoch)-1]
	if n <= int64(len(e.epoch)) {
		epoch = e.epoch[n-1]
	}
	check(epoch < len(e.keys), "no key of epoch %d", epoch)
	return e.keys[epoch]
}

func (e *entries) open(msg []byte) tlog.Tree {
	_, claimed := parse(strings.SplitN(string(msg), "\n\n", 2)[0] + "\n")
	n, err := note.Open(msg, note.VerifierList(e.signer(claimed.N)))
	must(err, "checkpoint")
	origin, tree := parse(n.Text)
	check(origin == n.Sigs[0].Name, "signed by %s", n.Sigs[0].Name)
	return tree
}

// inline is the checkpoint that entry i carries, as a note.
func (e *entries) inline(i int) []byte {
	key := e.signer(int64(i) + 1)
	sig, err := base64.StdEncoding.DecodeString(e.seal[i][1])
	must(err, "signature")
	id := make([]byte, 4)
	binary.BigEndian.PutUint32(id, key.KeyHash())
	return []byte(fmt.Sprintf("%s\n%d\n%s\n\n\u2014 %s %s\n", key.Name(), i+1, e.seal[i][0], key.Name(),
		base64.StdEncoding.EncodeToString(append(id, sig...))))
}

// read re-computes the chain from the segments.
func read(dir string, keys []note.Verifier) *entries {
	var all [][]byte
	e := &entries{seal: map[int][2]string{}, keys: keys}
	epoch := 0
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
			if rest := line[at+73:]; strings.HasPrefix(rest, `","root":"`) {
				check(len(rest) == 10+44+15+88+3, "entry %d has half a signature", len(all))
				e.seal[len(all)] = [2]string{rest[10:54], rest[69:157]}
			}
			prev = hex.EncodeToString(sum[:])
			all = append(all, sum[:])
			e.epoch = append(e.epoch, epoch)
			if strings.HasPrefix(line[strings.Index(line, `,"type":"`):], `,"type":"log.key",`) {
				epoch++ // it is itself signed by the key before
			}
		}
	}
	e.hash = all
	return e
}

func (e *entries) proof(file string) {
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
	tree := e.open(parts[1])
	must(tlog.CheckRecord(p, tree.N, tree.Hash, index, tlog.RecordHash(e.hash[index])), "inclusion")
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
	e := read(dir, keys)
	all := e.hash
	msg, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	must(err, "checkpoint")
	tree := e.open(msg)
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
	for i := range e.seal {
		signed := e.open(e.inline(i))
		root, err := tlog.TreeHash(signed.N, reader)
		must(err, "tree")
		check(root == signed.Hash, "entry %d signs another tree", i)
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
		old := e.open(b)
		p, err := tlog.ProveTree(tree.N, old.N, reader)
		must(err, "consistency")
		must(tlog.CheckTree(p, tree.N, tree.Hash, old.N, old.Hash), "consistency")
		fmt.Println("grown from", old.N)
	}
	if len(os.Args) == 4 {
		e.proof(os.Args[3])
	}
	fmt.Println("good:", tree.N)
}
