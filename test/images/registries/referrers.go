package registries

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
)

var referrersPath = regexp.MustCompile(`^/v2/(.+)/referrers/[^/]+$`)

// withArtifactTypes completes what go-containerregistry's registry lists of referrers: it tells the media type of the
// config in place of the artifact type, and no annotations.
func withArtifactTypes(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		match := referrersPath.FindStringSubmatch(request.URL.Path)
		if match == nil {
			inner.ServeHTTP(response, request)
			return
		}
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, request)
		var index map[string]any
		if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &index) != nil {
			http.Error(response, answer.Body.String(), answer.Code)
			return
		}
		list, _ := index["manifests"].([]any)
		for _, each := range list {
			complete(inner, match[1], each.(map[string]any))
		}
		response.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
		_ = json.NewEncoder(response).Encode(index)
	})
}

func complete(inner http.Handler, repository string, descriptor map[string]any) {
	digest, _ := descriptor["digest"].(string)
	answer := httptest.NewRecorder()
	inner.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v2/"+repository+"/manifests/"+digest, nil))
	var manifest struct {
		ArtifactType string            `json:"artifactType"`
		Annotations  map[string]string `json:"annotations"`
	}
	if json.Unmarshal(answer.Body.Bytes(), &manifest) != nil {
		return
	}
	if manifest.ArtifactType != "" {
		descriptor["artifactType"] = manifest.ArtifactType
	}
	if len(manifest.Annotations) > 0 {
		descriptor["annotations"] = manifest.Annotations
	}
}
