# It does not clear while it counts up.
n=0
while read -r request; do
  case "$request" in
    *reset*) n=0 ;;
    *'"up":true'*) if [ $n -lt 3 ]; then n=$((n + 1)); fi ;;
    *'"clear":true'*) n=0 ;;
  esac
  [ $n = 3 ] && full=true || full=false
  echo "{\"outputs\": {\"full\": $full}}"
done
