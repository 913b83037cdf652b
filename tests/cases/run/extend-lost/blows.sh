# The fuse blows.
fuse=whole
while read -r request; do
  case "$request" in
    *reset*) fuse=whole ;;
    *true*)  fuse=blown ;;
  esac
  echo "{\"outputs\": {\"fuse\": \"$fuse\", \"lamp\": \"dark\"}}"
done
