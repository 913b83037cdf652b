# The door gets stuck whenever it is opened.
door=closed
while read -r request; do
  case "$request" in *reset*) door=closed ;; esac
  case "$door $request" in
    closed*step*open*) door=stuck ;;
    stuck*close*)      door=closed ;;
    stuck*open*)       door=moving ;;
    moving*)           door=opened ;;
    opened*close*)     door=closed ;;
  esac
  echo "{\"outputs\": {\"door\": \"$door\"}}"
done
