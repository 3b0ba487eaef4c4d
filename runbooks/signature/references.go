package signature

import "slices"

// references resolves the names of clauses that stand in other clauses and in
// forms; they may stand anywhere in the file.
func (c *compiler) references(s *Signature, f *fileYAML) {
	for i := range f.When.Any {
		for _, id := range f.When.Any[i].Measured {
			s.forms[i].measured = append(s.forms[i].measured, c.clauseIndex(s, id))
		}
	}
	for _, list := range [][]clauseYAML{f.When.All, f.When.None} {
		for i := range list {
			c.secondsOf(s, &list[i])
		}
	}
}

func (c *compiler) secondsOf(s *Signature, y *clauseYAML) {
	if y.Seconds == nil {
		return
	}
	i := c.clauseIndex(s, y.ID)
	if i < 0 || s.clauses[i].seconds == nil {
		return
	}
	t := s.clauses[i].seconds
	for _, id := range y.Seconds.All {
		t.all = append(t.all, c.clauseIndex(s, id))
	}
	for _, group := range y.Seconds.Any {
		var g []int
		for _, id := range group {
			g = append(g, c.clauseIndex(s, id))
		}
		t.any = append(t.any, g)
	}
	if len(t.all)+len(t.any) == 0 {
		c.fail(y.ID, "clause %q: seconds needs all or any with ids of clauses", y.ID)
	}
	if d := y.Seconds.Decisive; d != nil {
		t.decisive = c.clauseIndex(s, d.Clause)
		if d.Above == nil {
			c.fail(y.ID, "clause %q: decisive needs above", y.ID)
			return
		}
		th := c.threshold(y.ID, d.Above)
		t.degree = &th
	}
}

// clauseIndex finds a clause that takes a highest or lowest reading; those alone
// hold in single seconds.
func (c *compiler) clauseIndex(s *Signature, id string) int {
	i := slices.IndexFunc(s.clauses, func(cl *clause) bool { return cl.id == id })
	if i < 0 {
		c.fail(id, "no clause has the id %q", id)
	}
	return max(0, i)
}
