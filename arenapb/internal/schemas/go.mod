module github.com/arena-go/arena/arenapb/internal/schemas

go 1.26.0

require (
	buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go v1.36.12-20260825204119-511051f7f437.2
	cel.dev/expr v0.25.3
	cloud.google.com/go/accessapproval v1.15.1
	cloud.google.com/go/accesscontextmanager v1.17.1
	cloud.google.com/go/ai v0.13.0
	cloud.google.com/go/aiplatform v1.127.1
	cloud.google.com/go/alloydb v1.33.1
	cloud.google.com/go/apigateway v1.17.1
	cloud.google.com/go/apigeeconnect v1.14.1
	cloud.google.com/go/apigeeregistry v1.2.1
	cloud.google.com/go/apikeys v1.10.1
	cloud.google.com/go/appengine v1.17.1
	cloud.google.com/go/artifactregistry v1.28.1
	cloud.google.com/go/asset v1.30.1
	cloud.google.com/go/assuredworkloads v1.21.1
	cloud.google.com/go/automl v1.23.1
	cloud.google.com/go/baremetalsolution v1.12.1
	cloud.google.com/go/batch v1.24.1
	cloud.google.com/go/beyondcorp v1.11.1
	cloud.google.com/go/bigquery v1.86.2
	cloud.google.com/go/bigtable v1.58.0
	cloud.google.com/go/billing v1.28.1
	cloud.google.com/go/binaryauthorization v1.18.1
	cloud.google.com/go/certificatemanager v1.17.1
	cloud.google.com/go/channel v1.29.1
	cloud.google.com/go/cloudbuild v1.37.0
	cloud.google.com/go/clouddms v1.16.1
	cloud.google.com/go/cloudtasks v1.21.1
	cloud.google.com/go/compute v1.75.0
	cloud.google.com/go/contactcenterinsights v1.26.1
	cloud.google.com/go/container v1.56.1
	cloud.google.com/go/datacatalog v1.35.1
	cloud.google.com/go/dataform v1.9.0
	cloud.google.com/go/datafusion v1.16.1
	cloud.google.com/go/dataplex v1.38.1
	cloud.google.com/go/dataproc/v2 v2.27.0
	cloud.google.com/go/datastore v1.28.1
	cloud.google.com/go/datastream v1.24.1
	cloud.google.com/go/deploy v1.35.1
	cloud.google.com/go/dialogflow v1.89.1
	cloud.google.com/go/dlp v1.39.1
	cloud.google.com/go/documentai v1.52.0
	cloud.google.com/go/edgecontainer v1.12.1
	cloud.google.com/go/essentialcontacts v1.14.1
	cloud.google.com/go/eventarc v1.27.1
	cloud.google.com/go/filestore v1.18.1
	cloud.google.com/go/firestore v1.29.2
	cloud.google.com/go/functions v1.27.1
	cloud.google.com/go/gkebackup v1.16.1
	cloud.google.com/go/gkeconnect v1.2.1
	cloud.google.com/go/gkemulticloud v1.15.1
	cloud.google.com/go/gsuiteaddons v1.14.1
	cloud.google.com/go/iam v1.15.1
	cloud.google.com/go/iap v1.19.1
	cloud.google.com/go/ids v1.13.1
	cloud.google.com/go/iot v1.15.1
	cloud.google.com/go/kms v1.36.1
	cloud.google.com/go/language v1.20.1
	cloud.google.com/go/logging v1.21.1
	cloud.google.com/go/longrunning v1.5.0
	cloud.google.com/go/managedidentities v1.15.1
	cloud.google.com/go/maps v1.45.0
	cloud.google.com/go/memcache v1.19.1
	cloud.google.com/go/memorystore v1.8.0
	cloud.google.com/go/metastore v1.22.1
	cloud.google.com/go/monitoring v1.32.1
	cloud.google.com/go/networkconnectivity v1.30.1
	cloud.google.com/go/networkmanagement v1.33.0
	cloud.google.com/go/networksecurity v0.21.1
	cloud.google.com/go/notebooks v1.20.1
	cloud.google.com/go/optimization v1.14.1
	cloud.google.com/go/orchestration v1.19.1
	cloud.google.com/go/orgpolicy v1.22.1
	cloud.google.com/go/osconfig v1.24.1
	cloud.google.com/go/oslogin v1.20.1
	cloud.google.com/go/policytroubleshooter v1.18.1
	cloud.google.com/go/pubsub v1.52.0
	cloud.google.com/go/pubsub/v2 v2.8.1
	cloud.google.com/go/pubsublite v1.10.0
	cloud.google.com/go/recommender v1.21.1
	cloud.google.com/go/redis v1.29.0
	cloud.google.com/go/resourcemanager v1.18.1
	cloud.google.com/go/retail v1.37.1
	cloud.google.com/go/run v1.24.1
	cloud.google.com/go/scheduler v1.18.1
	cloud.google.com/go/secretmanager v1.24.0
	cloud.google.com/go/security v1.29.1
	cloud.google.com/go/securitycenter v1.49.1
	cloud.google.com/go/servicecontrol v1.20.1
	cloud.google.com/go/servicedirectory v1.19.1
	cloud.google.com/go/servicemanagement v1.18.1
	cloud.google.com/go/serviceusage v1.16.1
	cloud.google.com/go/shell v1.15.1
	cloud.google.com/go/spanner v1.96.1
	cloud.google.com/go/speech v1.38.1
	cloud.google.com/go/storagetransfer v1.21.1
	cloud.google.com/go/talent v1.16.1
	cloud.google.com/go/texttospeech v1.24.1
	cloud.google.com/go/tpu v1.16.1
	cloud.google.com/go/trace v1.18.1
	cloud.google.com/go/translate v1.20.1
	cloud.google.com/go/video v1.36.0
	cloud.google.com/go/videointelligence v1.19.1
	cloud.google.com/go/vmmigration v1.18.1
	cloud.google.com/go/vmwareengine v1.11.1
	cloud.google.com/go/vpcaccess v1.16.1
	cloud.google.com/go/webrisk v1.19.1
	cloud.google.com/go/websecurityscanner v1.14.1
	cloud.google.com/go/workflows v1.22.1
	github.com/arena-go/arena v0.0.0
	github.com/arena-go/arena/arenapb v0.0.0
	github.com/authzed/authzed-go v1.11.0
	github.com/bazelbuild/remote-apis v0.0.0-20260908115904-76ddd98e1f92
	github.com/census-instrumentation/opencensus-proto v0.4.1
	github.com/cncf/xds/go v0.0.0-20260202195803-dba9d589def2
	github.com/containerd/containerd/api v1.12.0
	github.com/envoyproxy/go-control-plane/contrib v1.36.1-0.20260729145720-a2d8c7492908
	github.com/envoyproxy/go-control-plane/envoy v1.40.0
	github.com/envoyproxy/go-control-plane/ratelimit v0.1.0
	github.com/google/gnostic-models v0.7.1
	github.com/google/trillian v1.8.0
	github.com/hashicorp/consul/proto-public v0.6.2
	github.com/in-toto/attestation v1.2.0
	github.com/milvus-io/milvus-proto/go-api/v2 v2.6.18
	github.com/openconfig/gnmi v0.14.1
	github.com/prometheus/client_model v0.6.3
	github.com/qdrant/go-client v1.17.1
	github.com/sigstore/protobuf-specs v0.5.2
	github.com/yandex-cloud/go-genproto v0.137.0
	github.com/ydb-platform/ydb-go-genproto v0.0.0-20260810123728-f0c151ab31b9
	go.etcd.io/etcd/api/v3 v3.7.3
	go.opentelemetry.io/proto/otlp v1.11.1
	go.opentelemetry.io/proto/slim/otlp v1.11.1
	go.temporal.io/api v1.64.1
	go.temporal.io/cloud-sdk v0.22.0
	google.golang.org/genproto v0.0.0-20261019180522-ce908d29299b
	google.golang.org/genproto/googleapis/api v0.0.0-20261019180522-ce908d29299b
	google.golang.org/genproto/googleapis/bytestream v0.0.0-20261005182115-fad411399dd8
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b
	google.golang.org/grpc v1.85.0
	google.golang.org/grpc/examples v0.0.0-20260825154716-030ee8becb20
	google.golang.org/protobuf v1.36.12
	istio.io/api v1.31.1
	k8s.io/cri-api v0.37.2
	k8s.io/kms v0.37.2
	k8s.io/kubelet v0.37.2
)

require (
	github.com/containerd/log v0.1.0 // indirect
	github.com/containerd/ttrpc v1.2.9 // indirect
	github.com/containerd/typeurl/v2 v2.3.0 // indirect
	github.com/envoyproxy/protoc-gen-validate v1.3.3 // indirect
	github.com/fxamacker/cbor/v2 v2.9.1 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.31.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/nexus-rpc/nexus-proto-annotations v0.1.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/planetscale/vtprotobuf v0.6.1-0.20240319094008-0393e58bdf10 // indirect
	github.com/sirupsen/logrus v1.10.2 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	k8s.io/apimachinery v0.37.2 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2 // indirect
)

replace (
	github.com/arena-go/arena => ../../..
	github.com/arena-go/arena/arenapb => ../..
)
