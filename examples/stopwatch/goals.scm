; Trap variables of stopwatch.sal, as sal-atg takes them. A minute is 6,001 steps away: take the
; semicolon before "t10" away to have it too.
(define goal-list '(
  "s1" "s2" "s3"
  "t0" "t1" "t2" "t3" "t4" "t5" "t6" "t7" "t8" "t9" ; "t10"
))
