package generated

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/prometheus/prometheus/prompb"
	corev1 "k8s.io/api/core/v1"
)

// remoteWrite is a request with a sample of each of n series, as an agent that has scraped
// Kubernetes' containers sends it.
func remoteWrite(n int) *prompb.WriteRequest {
	w := &prompb.WriteRequest{}
	for i := range n {
		w.Timeseries = append(w.Timeseries, prompb.TimeSeries{
			Labels: []prompb.Label{
				{Name: "__name__", Value: fmt.Sprintf("container_network_receive_bytes_total_%d", i%50)},
				{Name: "cluster", Value: "eu-west-1-production"},
				{Name: "container", Value: fmt.Sprintf("service-%d", i%37)},
				{Name: "endpoint", Value: "https-metrics"},
				{Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:10250", i/250, i%250)},
				{Name: "job", Value: "kubelet"},
				{Name: "namespace", Value: fmt.Sprintf("team-%d", i%11)},
				{Name: "node", Value: fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250)},
				{Name: "pod", Value: fmt.Sprintf("service-%d-7d9c8b6f5-%05x", i%37, i*7919)},
			},
			Samples: []prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1790000000000 + int64(i)}},
		})
	}
	return w
}

var ballast []byte

func BenchmarkRemoteWrite(b *testing.B) {
	runtime.GOMAXPROCS(1)
	ballast = make([]byte, 48<<20)
	for _, n := range []int{10, 200, 2000} {
		in, err := remoteWrite(n).Marshal()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("series=%d/how=gogo", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if err := new(prompb.WriteRequest).Unmarshal(in); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("series=%d/how=reset", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			a := arena.NewArena()
			for b.Loop() {
				if err := gogo.Unmarshal(a, in, gogo.New[prompb.WriteRequest](a)); err != nil {
					b.Fatal(err)
				}
				a.Reset()
			}
		})
		b.Run(fmt.Sprintf("series=%d/how=free", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				a := arena.NewArena()
				if err := gogo.Unmarshal(a, in, gogo.New[prompb.WriteRequest](a)); err != nil {
					b.Fatal(err)
				}
				a.Free()
			}
		})
	}
}

// BenchmarkPods decodes a list of pods: half of what is in one is maps and times, which are on the
// heap.
func BenchmarkPods(b *testing.B) {
	runtime.GOMAXPROCS(1)
	ballast = make([]byte, 48<<20)
	list := &corev1.PodList{}
	for i := range 100 {
		p := corev1.Pod{}
		p.Name, p.Namespace = fmt.Sprintf("service-%d", i), "default"
		p.Labels = map[string]string{"app": fmt.Sprintf("service-%d", i%7), "pod-template-hash": "7d9c8b6f5"}
		p.Annotations = map[string]string{"checksum/config": "5f36b2ea290645ee34d943220a14b54ee5ea5be5fb2ff1a5"}
		for c := range 2 {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{
				Name: fmt.Sprintf("c%d", c), Image: "registry.example/team/service:v1.2.3", Args: []string{"--port=8080", "--verbose"},
				Env:          []corev1.EnvVar{{Name: "A", Value: "b"}, {Name: "GOGC", Value: "100"}},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/config"}, {Name: "tmp", MountPath: "/tmp"}},
			})
		}
		p.Status.Phase, p.Status.PodIP = corev1.PodRunning, fmt.Sprintf("10.0.0.%d", i)
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.PodInitialized, Status: corev1.ConditionTrue}}
		list.Items = append(list.Items, p)
	}
	in, err := list.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("how=gogo", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := new(corev1.PodList).Unmarshal(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("how=reset", func(b *testing.B) {
		b.ReportAllocs()
		a := arena.NewArena()
		for b.Loop() {
			if err := gogo.Unmarshal(a, in, gogo.New[corev1.PodList](a)); err != nil {
				b.Fatal(err)
			}
			a.Reset()
		}
	})
}
