package runner

import _ "embed"

//go:embed sql/session.sql
var sessionSQL string

//go:embed sql/extension.sql
var extensionSQL string
