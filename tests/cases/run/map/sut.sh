# Speaks JSON lines under the names of names.txt.
v=closed l0=no l1=no
while read -r request; do
  echo "$request" >&2
  l1=$l0
  case "$request" in
    *reset*)                          v=closed l0=no l1=no ;;
    '{"step":{"Command":1,"Do.It":"yes"}}') v='OPEN \"wide\"' l0=yes ;;
    '{"step":{"Command":0,"Do.It":"yes"}}') v=${WRONG:-closed} l0=yes ;;
    '{"step":{"Command":'[01]',"Do.It":"no"}}') l0=no ;;
    *) echo "{\"error\": \"no such request\"}"; continue ;;
  esac
  lamp=no; [ "$v" = closed ] || lamp=yes
  echo "{\"outputs\": {\"V\": \"$v\", \"lamp\": \"$lamp\", \"load\": [\"$l0\", \"$l1\"]}}"
done
