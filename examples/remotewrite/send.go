package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	configutil "github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/storage/remote"
	"github.com/prometheus/prometheus/tsdb"
)

// openTSDB opens a TSDB in dir, as Prometheus does.
func openTSDB(dir string) (*tsdb.DB, error) {
	o := tsdb.DefaultOptions()
	o.EnableExemplarStorage, o.MaxExemplars = true, 100_000
	o.EnableMetadataWALRecords = true
	return tsdb.Open(dir, nil, nil, o, nil)
}

// A sender is what of a Prometheus sends: its TSDB, whose write-ahead log is read, queues, encoders
// and the client. Nothing of it is ours.
type sender struct {
	db     *tsdb.DB
	queues *remote.WriteStorage
}

// newSender returns a sender to a URL, whose TSDB is in dir. It sends samples of times after now,
// on conns connections, and bounds the number in a request.
func newSender(dir, to string, typ remoteapi.WriteMessageType, conns, samples int) (*sender, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	db, err := openTSDB(dir)
	if err != nil {
		return nil, err
	}
	c := config.DefaultRemoteWriteConfig
	c.URL = &configutil.URL{URL: u}
	c.ProtobufMessage = typ
	c.SendExemplars, c.SendNativeHistograms = true, true
	c.MetadataConfig.Send = false // of protocol 1.0, which nobody stores; it would come from a scraper
	c.QueueConfig.MinShards, c.QueueConfig.MaxShards = conns, conns
	c.QueueConfig.MaxSamplesPerSend = samples
	c.QueueConfig.BatchSendDeadline = model.Duration(100 * time.Millisecond)
	s := &sender{db, remote.NewWriteStorage(nil, nil, dir, 10*time.Second, nil, false)}
	if err := s.queues.ApplyConfig(&config.Config{GlobalConfig: config.DefaultGlobalConfig, RemoteWriteConfigs: []*config.RemoteWriteConfig{&c}}); err != nil {
		return nil, errors.Join(err, s.close())
	}
	db.SetWriteNotified(s.queues)
	return s, nil
}

// append has f append to the TSDB, which is sent then.
func (s *sender) append(f func(storage.AppenderV2) error) error {
	app := s.db.AppenderV2(context.Background())
	if err := f(app); err != nil {
		return errors.Join(err, app.Rollback())
	}
	return app.Commit()
}

func (s *sender) close() error { return errors.Join(s.queues.Close(), s.db.Close()) }

// newClient returns the client of Prometheus that sends what has been encoded.
func newClient(to string, typ remoteapi.WriteMessageType) (remote.WriteClient, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	return remote.NewWriteClient("example", &remote.ClientConfig{
		URL: &configutil.URL{URL: u}, Timeout: model.Duration(time.Minute), WriteProtoMsg: typ, HTTPClientConfig: configutil.DefaultHTTPClientConfig,
	})
}

// own returns the handler that Prometheus has itself.
func own(s storage.AppendableV2) http.Handler {
	return remote.NewWriteHandler(discard, nil, s, remoteapi.MessageTypes{remoteapi.WriteV1MessageType, remoteapi.WriteV2MessageType}, false, true)
}

// protocol names a type of messages.
func protocol(typ remoteapi.WriteMessageType) string {
	if typ == remoteapi.WriteV1MessageType {
		return "1.0"
	}
	return "2.0"
}
