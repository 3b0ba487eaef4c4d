package lab

import "context"

// InsertTable is the append-only table InsertPass fills.
const InsertTable = "public.usage_events"

// InsertPass makes an insert-triggered autovacuum pass come within seconds: it
// fills an append-only table, checkpoints so that its pages are clean (a pass
// over dirty pages writes nothing new), and only then lets autovacuum see it.
func InsertPass(ctx context.Context, primary *Server, rows int) error {
	if err := primary.SetSetting(ctx, "autovacuum_naptime", "1s"); err != nil {
		return err
	}
	conn, err := primary.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer closeSoon(ctx, conn)
	if err := primary.Exec(ctx, "postgres", statement("insert_pass_setup")); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, statement("insert_pass_rows"), rows); err != nil {
		return err
	}
	for _, name := range []string{"checkpoint", "insert_pass_go"} {
		if _, err := conn.Exec(ctx, statement(name)); err != nil {
			return err
		}
	}
	return nil
}
