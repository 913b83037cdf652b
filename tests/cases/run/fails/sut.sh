n=0
while read -r request; do
  case "$request" in
    *reset*) n=0 ;;
    *true*) n=$((n + 1)) ;;
    *) n=0 ;;
  esac
  echo "counted to $n" >&2
  echo "{\"outputs\": {\"n\": $n, \"led\": \"red\"}}"
done
