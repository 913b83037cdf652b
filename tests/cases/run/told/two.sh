# It always chooses 2.
while read -r request; do
  case "$request" in *'"x":2'*) y=2 ;; *) y=0 ;; esac
  echo "{\"outputs\": {\"y\": $y}}"
done
