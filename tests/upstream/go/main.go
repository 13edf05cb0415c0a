// SPDX-License-Identifier: Apache-2.0

// Compare: generated cases, judged by Go's standard library, or by @bufbuild/cel, and by our engines.
//
//	compare -answer PROGRAM -judge JUDGE.JS [-cases N] [-seed S] KIND...
//
// Prints the Test Anything Protocol, a test for each kind, with a row that says how many cases agree, differ, and
// differ for a reason that is known (known.go).  Of those that differ the smallest is printed: each is made
// smaller while it still differs.  The same seed makes the same cases.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"sort"
	"strings"
	"time"
)

// A Case is what the program is asked: it becomes one line of JSON.
type Case interface {
	// Judge says what Go makes of it, in the form of the program's answer; false: this Go cannot say.
	Judge() (interface{}, bool)
	// Smaller gives cases that have less in them.
	Smaller() []Case
}

// A Kind of cases: Make makes one.  Judge says who judges; Part is how many times fewer of it are made, for that takes long.
type Kind struct {
	Name  string
	Make  func(r *rand.Rand) Case
	Judge string
	Part  int
}

var kinds = []Kind{
	{"regexp", makeRegexp, "Go", 1},
	{"template", makeTemplate, "Go", 1},
	{"quantity", makeQuantity, "Go", 1},
	{"time", makeTime, "Go", 1},
	{"cel", makeCel, "@bufbuild/cel", 4},
}

// Refused is the answer for what is wrong; the words differ and do not matter.
type Refused struct {
	Why string
}

// Program is ours, which answers line by line.
type Program struct {
	in  *bufio.Writer
	out *bufio.Reader
}

func start(path string, args ...string) (*Program, error) {
	command := exec.Command(path, args...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Program{bufio.NewWriterSize(in, 1<<16), bufio.NewReaderSize(out, 1<<16)}, command.Start()
}

func (p *Program) send(c Case) {
	line, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	p.in.Write(line)
	p.in.WriteByte('\n')
}

func (p *Program) receive() (string, error) {
	line, err := p.out.ReadString('\n')
	if err == io.EOF {
		err = fmt.Errorf("the program has ended")
	}
	return strings.TrimSuffix(line, "\n"), err
}

// normal makes answers comparable: JSON with sorted keys, without the words of a refusal.
func normal(answer interface{}) string {
	if _, refused := answer.(Refused); refused {
		return "refused"
	}
	if m, ok := answer.(map[string]interface{}); ok {
		if _, refused := m["refused"]; refused {
			return "refused"
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// why is an answer with the words of a refusal.
func why(answer interface{}) string {
	if refused, ok := answer.(Refused); ok {
		return strings.TrimSpace("refused " + refused.Why)
	}
	return normal(answer)
}

// differ says whether both say the same of a case, and what ours said.
func differ(ours string, theirs interface{}) bool {
	var said interface{}
	decoder := json.NewDecoder(strings.NewReader(ours))
	decoder.UseNumber()
	if err := decoder.Decode(&said); err != nil {
		return true
	}
	return normal(said) != normal(theirs)
}

func (p *Program) ask(c Case) (string, error) {
	p.send(c)
	p.in.Flush()
	return p.receive()
}

// shrink makes a case that differs smaller, for a second at most.
func (p *Program) shrink(c Case) (Case, error) {
	deadline := time.Now().Add(time.Second)
	for {
		next := Case(nil)
		for _, smaller := range c.Smaller() {
			theirs, judged := smaller.Judge()
			if !judged || time.Now().After(deadline) {
				continue
			}
			ours, err := p.ask(smaller)
			if err != nil {
				return c, err
			}
			if differ(ours, theirs) && known(smaller, ours, theirs) == "" {
				next = smaller
				break
			}
		}
		if next == nil {
			return c, nil
		}
		c = next
	}
}

// Count of one kind.
type Count struct {
	agree, refused, differ, unjudged int
	known                            map[string]int
	worst                            []Case // the smallest that differ
}

func size(c Case) int {
	text, _ := json.Marshal(c)
	return len(text)
}

func (n *Count) add(c Case, ours string, theirs interface{}) {
	reason := ""
	if !differ(ours, theirs) {
		n.agree++
		if _, refused := theirs.(Refused); refused {
			n.refused++
		}
		return
	}
	if reason = known(c, ours, theirs); reason != "" {
		n.known[reason]++
		return
	}
	n.differ++
	n.worst = append(n.worst, c)
	sort.SliceStable(n.worst, func(i, j int) bool { return size(n.worst[i]) < size(n.worst[j]) })
	if len(n.worst) > *show {
		n.worst = n.worst[:*show]
	}
}

const batch = 512

func (p *Program) run(kind Kind, cases int, seed int64) (*Count, error) {
	r := rand.New(rand.NewSource(seed))
	n := &Count{known: map[string]int{}}
	for cases > 0 {
		var asked []Case
		var theirs []interface{}
		for len(asked) < batch && cases > 0 {
			c := kind.Make(r)
			judgement, judged := c.Judge()
			cases--
			if !judged {
				n.unjudged++
				continue
			}
			asked = append(asked, c)
			theirs = append(theirs, judgement)
		}
		sent := make(chan struct{})
		go func() {
			for _, c := range asked {
				p.send(c)
			}
			p.in.Flush()
			close(sent)
		}()
		for i, c := range asked {
			ours, err := p.receive()
			if err != nil {
				text, _ := json.Marshal(c)
				return n, fmt.Errorf("%v at %s", err, text)
			}
			n.add(c, ours, theirs[i])
		}
		<-sent
	}
	return n, nil
}

func (p *Program) report(n *Count) error {
	for _, c := range n.worst {
		c, err := p.shrink(c)
		if err != nil {
			return err
		}
		theirs, _ := c.Judge()
		ours, err := p.ask(c)
		if err != nil {
			return err
		}
		text, _ := json.Marshal(c)
		fmt.Printf("# case %s\n#   ours %s\n#   theirs %s\n", text, ours, why(theirs))
	}
	for reason, times := range n.known {
		fmt.Printf("# %d known: %s\n", times, reason)
	}
	return nil
}

var judge = flag.String("judge", "", "judge.js, which is asked about expressions")
var show = flag.Int("show", 3, "how many cases that differ are printed, the smallest first")

func main() {
	answer := flag.String("answer", "", "the program that answers")
	cases := flag.Int("cases", 1000, "cases of each kind")
	seed := flag.Int64("seed", 0, "of the generator; 0: another one each time")
	flag.Parse()
	if *seed == 0 {
		*seed = time.Now().UnixNano() % 1000000000
	}
	program, err := start(*answer)
	if err != nil {
		fmt.Printf("Bail out! %v\n", err)
		os.Exit(1)
	}
	status := 0
	wanted := " " + strings.Join(flag.Args(), " ") + " "
	test := 0
	for _, kind := range kinds {
		if flag.NArg() > 0 && !strings.Contains(wanted, " "+kind.Name+" ") {
			continue
		}
		test++
		n, err := program.run(kind, *cases/kind.Part, *seed)
		ok := "ok"
		if err != nil || n.differ > 0 || n.agree == 0 {
			ok, status = "not ok", 1
		}
		fmt.Printf("%s %d - %s: %s and we agree, seed %d\n", ok, test, kind.Name, kind.Judge, *seed)
		total := 0
		for _, times := range n.known {
			total += times
		}
		fmt.Printf("# | %s | seed %d | %d agree, %d of them refused | %d differ | %d differ, known | %d not judged |\n", kind.Name, *seed,
			n.agree, n.refused, n.differ, total, n.unjudged)
		if err == nil {
			err = program.report(n)
		}
		if err != nil {
			fmt.Printf("Bail out! %v\n", err)
			os.Exit(1)
		}
	}
	fmt.Printf("1..%d\n", test)
	os.Exit(status)
}
