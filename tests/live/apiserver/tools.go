//go:build tools

// Package tools keeps the API server's command among this module's requirements.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
