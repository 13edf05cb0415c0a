/* SPDX-License-Identifier: Apache-2.0 */
/* ovsport_aspect.c - a representor's port of Open vSwitch: probed, made, compared, taken out */
#include "cni/ovsport/ovsport.h"

#include "cni/representor/representor.h"
#include "cni/switch/ovs_port.h"
#include "cni/switch/ovs_row.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the record says of the switch. */
static struct switch_conf switch_of(const struct ovs_state *s)
{
	return (struct switch_conf){
		.kind = SWITCH_OVS, .timeout_ms = s->timeout_ms, .bridge = s->bridge,
		.netdev = true,
	};
}

/* conf is borrowed, too. */
static struct ovs_port port_of(const struct host *host, const struct record *rec,
			       const struct switch_conf *conf)
{
	static const uint8_t none[MAC_LEN];

	return (struct ovs_port){
		.host = host,
		.owner = &rec->owner,
		.conf = conf,
		.db = rec->ovs.db,
		.name = rec->ovs.port,
		.bridge = rec->ovs.bridge,
		.type = "",
		.of_key = OVS_KEY_DEVICE,
		.of = rec->device,
		.vlan = -1,
		.mtu = -1,
		.mac = memcmp(rec->mac, none, MAC_LEN) ? rec->mac : NULL,
	};
}

static void set_vlans(struct ovs_port *p, const struct netconf *nc)
{
	p->vlan = nc->vlan;
	p->trunk = &nc->port.trunk;
}

/* -- ADD -- */

/* The bridge of the uplink, or of its bond; one of Open vSwitch's own has the uplink itself. */
static int uplinks_bridge(struct attachment *a, char ret[16], struct err *e)
{
	const struct function *f = &a->function;
	struct link uplink, bond = { 0 };
	const char *netdevs[2];
	size_t n = 0;
	int r = f->uplink_ifindex ? link_get_by_index(&a->home, f->uplink_ifindex, &uplink, e) : 0;

	if (r > 0) {
		netdevs[n++] = uplink.name;
		r = uplink.master ? link_get_by_index(&a->home, uplink.master, &bond, e) : 1;
	}
	if (bond.ifindex)
		netdevs[n++] = bond.name;
	if (r >= 0)
		r = ovs_bridge_find(a->host, &a->conf->socket.sw, netdevs, n, ret, e);
	if (r == 0)
		return err_set(e, ERR_DEVICE, 0,
			       "switch.bridge: uplink %s is a port of no bridge of Open vSwitch, "
			       "so one must be named", *f->uplink ? f->uplink : f->pf_bdf);
	return r < 0 ? -1 : 0;
}

/* Of Open vSwitch it may be a port already: whose, the database knows. */
static int check_free(struct attachment *a, struct err *e)
{
	struct link rep, master;
	int r = link_get_by_index(&a->home, a->rep.ifindex, &rep, e);

	if (r > 0)
		r = rep.master ? link_get_by_index(&a->home, rep.master, &master, e) : 0;
	if (r <= 0 || strcmp(master.kind, "openvswitch") == 0)
		return r < 0 ? -1 : 0;
	return err_set(e, ERR_BUSY, EBUSY,
		       "switch: representor %s is a port of %s already, expected none", rep.name,
		       master.name);
}

static int plan(struct attachment *a, struct ovs_state *s, struct err *e)
{
	const struct switch_conf *conf = &a->conf->socket.sw;
	const char *db = a->host->set.ovs_db;

	if (strlen(db) >= sizeof(s->db))
		return err_set(e, ERR_NETCONF, ENAMETOOLONG,
			       "ovsDb: expected at most %zu bytes, got %zu", sizeof(s->db) - 1,
			       strlen(db));
	memcpy(s->db, db, strlen(db) + 1);
	memcpy(s->port, a->rep.name, sizeof(s->port));
	s->timeout_ms = conf->timeout_ms;
	if (!conf->bridge)
		return uplinks_bridge(a, s->bridge, e);
	(void)snprintf(s->bridge, sizeof(s->bridge), "%s", conf->bridge);
	return 0;
}

/* Not after the record is written: nothing could be taken back either while OVS is down. */
static int probe(struct attachment *a, struct err *e)
{
	struct ovs_state s = { .port = "" };
	struct switch_conf conf;
	struct deadline d;
	int r;

	if (!a->conf->socket.sw.netdev)
		return 0;
	r = representor_find(a, e);
	if (r <= 0)	/* it has been said already that there must be one */
		return r;
	if (check_free(a, e) < 0 || plan(a, &s, e) < 0)
		return -1;
	conf = switch_of(&s);
	d = deadline_in(s.timeout_ms);
	if (ovs_probe(a->host, &conf, &d, e) < 0)
		return -1;
	a->rec.ovs = s;
	return 0;
}

static int apply(struct attachment *a, struct err *e)
{
	const struct switch_conf conf = switch_of(&a->rec.ovs);
	struct ovs_port p = port_of(a->host, &a->rec, &conf);

	if (!*a->rec.ovs.port)
		return 0;
	set_vlans(&p, a->conf);
	return ovs_port_attach(&p, e);
}

/* -- CHECK -- */

static int check_port(struct check *c, struct err *e)
{
	const struct switch_conf *said = &c->conf->socket.sw;
	struct ovs_port p = port_of(c->host, c->rec, said);

	if (!*c->rec->ovs.port || c->conf_unknown)
		return 0;
	set_vlans(&p, c->conf);
	if (said->bridge)
		p.bridge = said->bridge;
	return ovs_port_check(&p, check_tell, c, e);
}

/* -- DEL -- */

static int restore(struct restoring *r, struct err *e)
{
	const struct switch_conf conf = switch_of(&r->rec->ovs);
	struct ovs_port p = port_of(r->host, r->rec, &conf);
	struct err why;

	if (!*r->rec->ovs.port)
		return 0;
	p.rebooted = owner_this_boot(r->host, r->rec, &why) == 0;
	return ovs_port_detach(&p, e);
}

const struct aspect ovsport_aspect = {
	.of = ASPECT_DEVICE | ASPECT_CHAINED, .probe = probe, .apply = apply, .check = check_port,
	.restore_lasting = restore,
};
