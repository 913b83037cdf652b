# It refuses to go on when it is full.
n=0
while read -r request; do
  case "$request" in
    *reset*) n=0 ;;
    *'"clear":true'*) n=0 ;;
    *'"up":true'*) n=$((n + 1)) ;;
  esac
  [ $n = 3 ] && full=true || full=false
  if [ $n -gt 3 ]; then echo '{"refused": "full"}'; else echo "{\"outputs\": {\"full\": $full}}"; fi
done
