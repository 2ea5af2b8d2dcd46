/**
 * What the JSON of Kubernetes objects has in common, so that also a short one compresses well
 * (LZ4 finds the beginnings of an object here instead of in what went before; the most frequent
 * fragments stand last, where references to them are shortest).
 *
 * It is part of the format on disk: a single changed character makes every stored text unreadable.
 * Change it only together with `storeFormat`.
 */
export const textDictionary = `
"type":"Initialized","status":"True","lastProbeTime":null,"reason":"","message":""
"lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1,"conditions":[{"type":"Ready",
"status":{"phase":"Running","podIP":"127.0.0.1","podIPs":[{"ip":"127.0.0.1"}],"startTime":"2026-
"containerStatuses":[{"name":"","ready":true,"restartCount":0,"image":"node:24-slim","imageID":""
"resources":{"limits":{"cpu":"100m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"128Mi"}}
"spec":{"containers":[{"name":"runner","image":"node:24-slim","env":[{"name":"","value":""},
"serviceAccountName":"default","restartPolicy":"Always","ports":[{"name":"http","port":8080,
"runtime":"nodejs24","handler":"default","source":{"inline":"export default (request, context) =>
"scale":{"min":0,"max":100,"metric":"concurrency","target":50,"idleAfter":"60s","limit":0},
"f:spec":{"f:containers":{"k:{\\"name\\":\\"runner\\"}":{".":{},"f:name":{},"f:image":{},"f:env":{
"f:status":{"f:phase":{},"f:conditions":{".":{},"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:type":{},
"f:metadata":{"f:annotations":{},"f:labels":{".":{},"f:fnlet.dev/function":{},"f:ownerReferences":{
"managedFields":[{"manager":"fnlet","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00
:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:spec":{}},"subresource":"status"}]
"ownerReferences":[{"apiVersion":"fnlet.dev/v1alpha1","kind":"Revision","name":"","uid":"",
"controller":true,"blockOwnerDeletion":true}],"finalizers":["fnlet.dev/"],"deletionTimestamp":"
"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"","fnlet.dev/revision":"
"labels":{"app":"","fnlet.dev/function":"","kubernetes.io/metadata.name":"default"},"generation":1
{"apiVersion":"v1","kind":"Event","kind":"Secret","kind":"Pod","kind":"ConfigMap","data":{"
{"apiVersion":"fnlet.dev/v1alpha1","kind":"Function","metadata":{"name":"","namespace":"default",
"uid":"","resourceVersion":"","creationTimestamp":"2026-01-01T00:00:00Z",
`;
