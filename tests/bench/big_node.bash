# SPDX-License-Identifier: Apache-2.0
# big_node.bash - a recorded node with 4 PFs and 512 VFs, each with its network device and, in switchdev mode, a representor
# shellcheck shell=bash

# function_of BDF DEVICE DRIVER - a PCI function in the text of a recorded node
function_of() {
	local dir=sys/devices/pci0000:00/$1 f
	echo "link sys/bus/pci/devices/$1 ../../../devices/pci0000:00/$1"
	for f in "modalias pci:v000015B3d0000${2^^}sv000015B3sd00000001bc02sc00i00" "vendor 0x15b3" "device 0x$2" "class 0x020000" "subsystem_vendor 0x15b3" "subsystem_device 0x0001" \
		"numa_node 0" "driver_override (null)"; do
		echo "file $dir/$f"
	done
	for f in correctable:COR nonfatal:NONFATAL fatal:FATAL; do
		echo "file $dir/aer_dev_${f%:*} TOTAL_ERR_${f#*:} 0"
	done
	echo "link $dir/driver ../../../bus/pci/drivers/$3"
	echo "link $dir/iommu_group ../../../kernel/iommu_groups/$((n += 1))"
}

# netdev PARENT NAME PORT
netdev() {
	local dir=sys/devices/pci0000:00/$1/net/$2 f
	echo "link sys/class/net/$2 ../../devices/pci0000:00/$1/net/$2"
	for f in "ifindex $((n += 1))" "address 02:00:00:00:00:01" "mtu 1500" "flags 0x1003" "carrier 1" "type 1" \
		"operstate up" "speed 25000" "phys_switch_id 5c8a9e0003ebfa9c" "phys_port_name $3"; do
		echo "file $dir/$f"
	done
}

# big_node MODE - its text, for tests/node/make-node.sh; MODE is legacy or switchdev
big_node() {
	local pf vf bdf
	n=0
	for pf in 0 1 2 3; do
		function_of "0000:03:00.$pf" 101d mlx5_core
		echo "file sys/devices/pci0000:00/0000:03:00.$pf/sriov_totalvfs 128"
		echo "file sys/devices/pci0000:00/0000:03:00.$pf/sriov_numvfs 128"
		netdev "0000:03:00.$pf" "ens1f$pf" "p$pf"
		for vf in {0..127}; do
			bdf=$(printf '0000:%02x:%02x.%x' $((16 + pf)) $((vf / 8)) $((vf % 8)))
			function_of "$bdf" 101e mlx5_core
			echo "link sys/devices/pci0000:00/$bdf/physfn ../0000:03:00.$pf"
			echo "link sys/devices/pci0000:00/0000:03:00.$pf/virtfn$vf ../$bdf"
			netdev "$bdf" "ens1f${pf}v$vf" ""
			[ "$1" = legacy ] || netdev "0000:03:00.$pf" "rep${pf}_$vf" "pf${pf}vf$vf"
		done
	done
}
