; Every shift once more, after the gearbox has reported the fourth gear in 13 states.
(define begun '(
  "phase = shifting AND wanted = 1" "phase = shifting AND wanted = 2"
  "phase = shifting AND wanted = 3" "phase = shifting AND wanted = 4"))
(define once '("enough"))
(define goal-list (goal-product begun once))
