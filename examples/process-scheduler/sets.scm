; The goals of sets.goals as sal-atg takes them.
(define goal-list '(
  "in_active[none]" "in_active[one]"
  "in_ready[none]" "in_ready[one]" "in_ready[several]"
  "in_waiting[none]" "in_waiting[one]" "in_waiting[several]" "in_waiting[all]"))
