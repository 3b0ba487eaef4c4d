// Package rds reads what only the RDS API knows of an instance: whether its
// volume still loads from a snapshot, how much I/O its volume and class allow,
// what happened to it, and which parameters may be changed there.
//
// One Account asks for all instances of an account and region at once; each
// instance's Source reads its own part of that answer. StorageOperationStatus
// and StorageOperationPercentProgress are fields of the SDK's own DBInstance
// from service/rds v1.124.0 on, so nothing is parsed by hand here.
package rds
