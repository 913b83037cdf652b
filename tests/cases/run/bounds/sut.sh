n=0
while read -r request; do
  case "$request" in
    *reset*) n=0 ;;
    *true*) [ "$n" -lt 3 ] && n=$((n + 1)) ;;
  esac
  echo "{\"outputs\": {\"n\": $n}}"
done
