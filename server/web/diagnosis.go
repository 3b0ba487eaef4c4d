package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// atStep is how far the earlier and later links of a diagnosis go.
const atStep = 10 * time.Second

// diagnosis shows every signature with every clause, or asks for an instance.
func (s *Server) diagnosis(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	ref := store.Ref{Cluster: q.Get("cluster"), Instance: q.Get("instance")}
	at, err := timeParam(r, "at")
	if err == nil && ref != (store.Ref{}) {
		ref, err = s.known(ref)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	frame := s.frame(r, "Diagnosis", "diagnosis")
	if ref == (store.Ref{}) {
		link := func(ref store.Ref) string { return s.diagnosisLink(ref, at) }
		s.show(w, r, http.StatusOK, frame, views.Chooser(s.chooser(r, link,
			"Which instance?", "Diagnosis shows every signature with every clause: what holds, what does not, and what nobody measured.")))
		return
	}
	judgedAt, list, err := s.judged(r.Context(), ref, at)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	frame.Title = "Diagnosis of " + ref.String()
	s.show(w, r, http.StatusOK, frame, views.Diagnosis(s.diagnosisPage(ref, at, judgedAt, list)))
}

func (s *Server) diagnosisLink(ref store.Ref, at time.Time) string {
	return s.link("/diagnosis") + query("cluster", ref.Cluster, "instance", ref.Instance, "at", atParam(at))
}

// atParam is a time for a query, "" for now.
func atParam(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// diagnosisPage puts a judgement into rows; asked is zero for the present.
func (s *Server) diagnosisPage(ref store.Ref, asked, judged time.Time, list []store.Diagnosis) views.DiagnosisPage {
	p := views.DiagnosisPage{
		Crumbs: []views.Crumb{{Label: ref.Cluster, Href: s.link("/clusters/" + pathEscape(ref.Cluster))},
			{Label: ref.Instance, Href: s.instanceLink(ref)}, {Label: "diagnosis"}},
		At: s.atForm(ref, asked, judged), Instance: s.instanceLink(ref),
	}
	p.Head, p.Sub = s.diagnosisSays(ref, list)
	if len(list) == 0 {
		p.Empty = "Nothing was judged on " + ref.String() + " yet. The first judgement comes with the second reading."
		return p
	}
	for i, d := range list {
		kind, word := matchWord(d.Verdict)
		id := "sig-" + d.Runbook
		hold := fmt.Sprintf("%d of %d", d.Hold, d.Needed)
		p.Rows = append(p.Rows, views.SignatureRow{
			Rank: strconv.Itoa(i + 1), Title: s.titleOf(d), Href: "#" + id, Kind: kind, Word: word, Pips: pips(d.Clauses),
			Hold: hold, Near: nearness(d), Open: d.Verdict == store.Possible, Missing: missingWords(d), Hit: d.Verdict == store.Matched,
		})
		p.Details = append(p.Details, views.SignatureDetail{
			ID: id, Title: s.titleOf(d), Href: s.bookLink(d.Runbook, ref, atParam(asked), ""), Kind: kind, Word: word,
			Hold: hold + " hold", Groups: s.clauseGroups(d.Clauses, clauseContext{ref, judged, d.Form, atParam(asked)}),
		})
	}
	return p
}

// diagnosisSays is the sentence of the page and the one below it.
func (s *Server) diagnosisSays(ref store.Ref, list []store.Diagnosis) (head, sub string) {
	var hits []string
	possible := 0
	for _, d := range list {
		switch d.Verdict {
		case store.Matched:
			hits = append(hits, s.titleOf(d))
		case store.Possible:
			possible++
		}
	}
	n := len(list)
	switch {
	case n == 0:
		return "No judgement of " + ref.Instance + " yet.", "Each row will show what would have to change for the signature to match."
	case len(hits) == 0:
		head = fmt.Sprintf("None of %d signatures matches %s. Nearest is %s, %d of %d.", n, ref.Instance, lowerFirst(s.titleOf(list[0])), list[0].Hold, list[0].Needed)
	case len(hits) == 1:
		head = fmt.Sprintf("One of %d signatures matches %s: %s.", n, ref.Instance, lowerFirst(hits[0]))
	default:
		head = fmt.Sprintf("%d of %d signatures match %s: %s.", len(hits), n, ref.Instance, strings.Join(hits, "; "))
	}
	switch possible {
	case 0:
		sub = "Each row shows what would have to change for it to match."
	case 1:
		sub = "One can't be ruled out, since something it asks about is not measured. Each row shows what would have to change for it to match."
	default:
		sub = fmt.Sprintf("%d can't be ruled out, since something they ask about is not measured. Each row shows what would have to change for it to match.", possible)
	}
	return head, sub
}

func (s *Server) titleOf(d store.Diagnosis) string {
	if d.Title != "" {
		return d.Title
	}
	return s.bookTitle(d.Runbook)
}

func (s *Server) atForm(ref store.Ref, asked, judged time.Time) views.AtForm {
	f := views.AtForm{
		Action: s.link("/diagnosis"), Value: atParam(asked), StepSays: lasted(atStep), Says: "Judged at " + clock(judged) + " UTC",
		Fields: []views.Field{{Name: "cluster", Value: ref.Cluster}, {Name: "instance", Value: ref.Instance}},
	}
	if judged.IsZero() {
		f.Says, judged = "Not judged yet", s.d.Now()
	}
	f.Earlier = s.diagnosisLink(ref, judged.Add(-atStep))
	if asked.IsZero() {
		return f
	}
	f.Says = "Judged at " + asked.UTC().Format("2006-01-02 15:04:05") + " UTC, from the history"
	f.Now = s.diagnosisLink(ref, time.Time{})
	f.Later = f.Now
	if later := asked.Add(atStep); later.Before(s.d.Now()) {
		f.Later = s.diagnosisLink(ref, later)
	}
	return f
}

// matchWord is a signature's verdict as mark and word.
func matchWord(v store.MatchVerdict) (kind, word string) {
	switch v {
	case store.Matched:
		return "yes", "Matched"
	case store.Possible:
		return "unknown", "Possible"
	}
	return "no", "No"
}

// nearness places a signature on its bar, where 90 is a match.
func nearness(d store.Diagnosis) float64 {
	if d.Verdict == store.Matched {
		return 96
	}
	return min(88, 90*(1-d.Distance))
}

func missingWords(d store.Diagnosis) string {
	if d.Missing != "" {
		return d.Missing
	}
	if d.Verdict == store.Matched {
		return "All that must hold holds."
	}
	return "Nothing that must hold is missing; see its clauses."
}
