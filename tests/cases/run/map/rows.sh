# Speaks rows under the names of names.txt; it never closes.
read -r header
[ "$header" = Command,Do.It ] || exit 1
echo 'V,lamp,load[0],load[1]'
v=closed lamp=no l0=no
while IFS=, read -r command it; do
  l1=$l0 l0=${it:-no}
  if [ "$it" = yes ]; then v='"OPEN ""wide"""' lamp=yes; fi
  echo "$v,$lamp,$l0,$l1"
done
