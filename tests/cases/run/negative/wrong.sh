while read -r request; do
  case "$request" in
    *reset*) echo '{"outputs": {"door": "shut"}}' ;;
    *) echo '{"outputs": {"door": "wide"}}' ;;
  esac
done
