// Package discover finds which RDS instances make up a cluster, and keeps track
// of them: new ones, gone ones, renamed ones, and names that another server
// answers to since a switch. It also builds the AWS configuration by which an
// account and region are reached, and the tokens for logging in to PostgreSQL.
// What the RDS API answered it gets as values; it polls nothing.
package discover
