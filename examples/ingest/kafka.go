package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const topic = "profiles"

// A kafkaOrder tells a consumer what to do. It is a line of stdin, as JSON.
type kafkaOrder struct {
	Brokers  []string
	Group    string
	Profiles int64 // that are in the topic
}

// measureKafka is the command with -kafka: the broker is in this process, the consumers are in
// processes of their own.
func measureKafka(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	inputs, err := readInputs(c.files)
	if err != nil {
		return err
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, topic))
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := produce(ctx, cluster.ListenAddrs(), inputs, c.kafka); err != nil {
		return err
	}
	var last *batchResult
	groups := 0
	runs, err := measureRounds(wErr, c, "kafka", func(way string) (*run, error) {
		groups++
		line, err := json.Marshal(kafkaOrder{cluster.ListenAddrs(), fmt.Sprintf("ingest-%d", groups), int64(c.kafka)})
		if err != nil {
			return nil, err
		}
		if last, err = runBatchChild(ctx, args, "kafka:"+way, string(line)); err != nil {
			return nil, err
		}
		return last.run(), nil
	})
	if err != nil {
		return err
	}
	return writeReport(w, c, last.title("Kafka"), runs, quantities)
}

// produce sends n profiles: the key of a record is the application, its value the profile.
func produce(ctx context.Context, brokers []string, inputs []input, n int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return err
	}
	defer client.Close()
	t := time.Now()
	var records []*kgo.Record
	for i := range n {
		in := inputs[i%len(inputs)]
		records = append(records, &kgo.Record{Key: []byte(in.app), Value: in.data, Timestamp: t})
	}
	return client.ProduceSync(ctx, records...).FirstErr()
}

// kafkaChild consumes all profiles of a topic.
func kafkaChild(stdin io.Reader, stdout io.Writer, c config, way string) error {
	lines := bufio.NewScanner(stdin)
	lines.Scan()
	var o kafkaOrder
	if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // the process that has started this one closes stdin when it wants no more
		lines.Scan()
		cancel()
	}()
	client, err := kgo.NewClient(kgo.SeedBrokers(o.Brokers...), kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(4<<20))
	if err != nil {
		return err
	}
	defer client.Close()
	co := newConsumer(c, way)
	return co.measured(stdout, func() error {
		for co.result.Profiles < o.Profiles {
			if err := co.poll(ctx, client); err != nil {
				return err
			}
		}
		return nil
	})
}

// poll takes what the client has fetched: all of it is decoded into one arena, which is reset when
// it is in the trees and before the next poll. The records are the client's, on the heap, and
// messages refer to them: Reset comes first, then they are garbage. What cannot be taken is
// counted, and passed over: it would not become better.
func (co *consumer) poll(ctx context.Context, client *kgo.Client) error {
	fetches := client.PollFetches(ctx)
	if err := fetches.Err0(); err != nil {
		return err
	}
	defer co.arena.Reset() //arena:trust trees copy what they take of a profile, and nothing else of one is kept
	for _, e := range fetches.Errors() {
		return fmt.Errorf("partition %d of %s: %w", e.Partition, e.Topic, e.Err)
	}
	fetches.EachRecord(func(r *kgo.Record) {
		co.take(record{string(r.Key), r.Timestamp, r.Value})
	})
	co.result.Batches++
	return client.CommitUncommittedOffsets(ctx)
}
