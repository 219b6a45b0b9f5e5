// Evaluates CEL expressions with cel-go and the libraries of the Kubernetes API server: a JSON object with `expr` and
// `vars` per line in, `value` (tagged as in test/cel/probes.ts) or `error` and `message` out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type input struct {
	Expr string         `json:"expr"`
	Vars map[string]any `json:"vars"`
}

func main() {
	env, err := newEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var in input
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&in); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		line, _ := json.Marshal(run(env, in))
		out.Write(append(line, '\n'))
	}
}

func newEnv() (*cel.Env, error) {
	options := []cel.EnvOption{ext.Math(), ext.Encoders(), ext.Regex(ext.RegexVersion(1)), library.JSONPatch()}
	for _, name := range []string{"x", "y", "z", "m", "n"} {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	return environment.MustBaseEnvSet(version.MajorMinor(1, 36)).StoredExpressionsEnv().Extend(options...)
}

func run(env *cel.Env, in input) (result map[string]any) {
	defer func() {
		if cause := recover(); cause != nil {
			result = map[string]any{"error": "panic", "message": fmt.Sprint(cause)}
		}
	}()
	ast, issues := env.Compile(in.Expr)
	if issues.Err() != nil {
		return map[string]any{"error": "compile", "message": issues.Errors()[0].Message}
	}
	// json.encode costs more than any limit.
	program, err := env.Program(ast, cel.CostLimit(math.MaxUint64))
	if err != nil {
		return map[string]any{"error": "compile", "message": err.Error()}
	}
	vars := map[string]any{}
	for name, value := range in.Vars {
		vars[name] = exact(value)
	}
	value, _, err := program.Eval(vars)
	if err != nil {
		return map[string]any{"error": "eval", "message": err.Error()}
	}
	return map[string]any{"value": tag(value)}
}

// exact keeps integers as int64, as the API server reads objects.
func exact(value any) any {
	switch typed := value.(type) {
	case json.Number:
		if integer, err := typed.Int64(); err == nil {
			return integer
		}
		double, _ := typed.Float64()
		return double
	case []any:
		for index := range typed {
			typed[index] = exact(typed[index])
		}
	case map[string]any:
		for key := range typed {
			typed[key] = exact(typed[key])
		}
	}
	return value
}

func tag(value ref.Val) any {
	switch typed := value.(type) {
	case *types.Optional:
		if !typed.HasValue() {
			return map[string]any{"optional": "none"}
		}
		return map[string]any{"optional": tag(typed.GetValue())}
	case types.Bool:
		return bool(typed)
	case types.String:
		return string(typed)
	case types.Null:
		return nil
	case types.Int:
		return map[string]any{"int": strconv.FormatInt(int64(typed), 10)}
	case types.Uint:
		return map[string]any{"uint": strconv.FormatUint(uint64(typed), 10)}
	case types.Double:
		return map[string]any{"double": strconv.FormatFloat(float64(typed), 'g', -1, 64)}
	case types.Bytes:
		return map[string]any{"bytes": fmt.Sprintf("%x", []byte(typed))}
	case types.Duration:
		return map[string]any{"duration": typed.Duration.String()}
	case types.Timestamp:
		return map[string]any{"timestamp": typed.Time.UTC().Format(time.RFC3339Nano)}
	case apiservercel.IP:
		return map[string]any{"other": "net.IP " + typed.Addr.String()}
	case apiservercel.CIDR:
		return map[string]any{"other": "net.CIDR " + typed.Prefix.String()}
	case apiservercel.URL:
		return map[string]any{"other": "kubernetes.URL " + typed.URL.String()}
	case apiservercel.Semver:
		return map[string]any{"other": "kubernetes.Semver " + typed.Version.String()}
	}
	if list, ok := value.(traits.Lister); ok {
		items := []any{}
		for it := list.Iterator(); it.HasNext() == types.True; {
			items = append(items, tag(it.Next()))
		}
		return map[string]any{"list": items}
	}
	if entries, ok := value.(traits.Mapper); ok {
		pairs := [][]any{}
		for it := entries.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			pairs = append(pairs, []any{tag(key), tag(entries.Get(key))})
		}
		return map[string]any{"map": pairs}
	}
	return map[string]any{"other": value.Type().TypeName()}
}
