; The goals of shifts.goals as sal-atg takes them.
(define visits '("visited[1]" "visited[2]" "visited[3]" "visited[4]"))
(define ups '(
  "pended[up][1]" "pended[up][2]" "pended[up][3]"
  "shifted[up][1]" "shifted[up][2]" "shifted[up][3]"
  "finished[up][1]" "finished[up][2]" "finished[up][3]"
  "dropped[up][1]" "dropped[up][2]" "dropped[up][3]"))
(define downs '(
  "pended[down][2]" "pended[down][3]" "pended[down][4]"
  "shifted[down][2]" "shifted[down][3]" "shifted[down][4]"
  "finished[down][2]" "finished[down][3]" "finished[down][4]"
  "dropped[down][2]" "dropped[down][3]" "dropped[down][4]"))
(define goal-list (append visits ups downs))
