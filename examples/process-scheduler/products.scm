; Each action of the scheduler together with each amount in a set.
(define actions '(
  "did[create]" "did[start]" "did[queue]" "did[exchange]" "did[retire]" "did[known]" "did[absent]"))
(define amounts '(
  "in_active[none]" "in_active[one]"
  "in_ready[none]" "in_ready[one]" "in_ready[several]"
  "in_waiting[none]" "in_waiting[one]" "in_waiting[several]" "in_waiting[all]"))
(define goal-list (goal-product actions amounts))
