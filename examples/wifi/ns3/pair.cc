// A pair of captures of one link of 802.11a, b or g, made by ns-3: what the device under test (DUT) itself sends and receives, and
// what a sniffer beside it hears.
//
// The DUT sends UDP to an endpoint at a fixed interval. A frame is lost with a probability of its own between the DUT and
// the endpoint, the DUT and the sniffer, and the endpoint and the sniffer; nothing else is lost. The captures are those
// of ns-3 itself, pcap with radiotap headers and instants in nanoseconds: a frame that is sent is stamped at its start,
// and one that is received at its end.
//
// Bugs are put into the DUT, not into its capture:
//   --sequence=skip            a sequence number is left out, now and then
//   --sequence=stuck           a sequence number is used for two packets
//   --retransmission=afterAck  the MAC overlooks an Ack that its radio has received
//   --retransmission=never     a frame without an Ack is given up at once
// each with the probability --bugRate where it may happen.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <map>

using namespace ns3;

/// Loses frames at one radio, by the device that sent them.
class LossBySender : public ErrorModel
{
  public:
    std::map<Mac48Address, double> lossOfSender;
    /// Who sends an Ack to this address: an Ack names only its receiver.
    std::map<Mac48Address, Mac48Address> acknowledgedBy;
    Ptr<UniformRandomVariable> random;

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        auto sender = header.IsAck() ? acknowledgedBy.at(header.GetAddr1()) : header.GetAddr2();
        auto loss = lossOfSender.find(sender);
        return loss != lossOfSender.end() && random->GetValue() < loss->second;
    }

    void DoReset() override
    {
    }
};

/// A rate manager that gives frames up at once, now and then.
class ForgetfulManager : public ConstantRateWifiManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ForgetfulManager")
                               .SetParent<ConstantRateWifiManager>()
                               .AddConstructor<ForgetfulManager>();
        return id;
    }

    static double bugRate;
    static Ptr<UniformRandomVariable> random;

  private:
    bool DoNeedRetransmission(WifiRemoteStation*, Ptr<const Packet>, bool normally) override
    {
        return normally && !(random->GetValue() < bugRate);
    }
};

double ForgetfulManager::bugRate = 0;
Ptr<UniformRandomVariable> ForgetfulManager::random;

/// Between the radio and the MAC of the DUT: lets the MAC overlook Acks.
struct Overlooking
{
    Ptr<FrameExchangeManager> mac;
    double bugRate;
    Ptr<UniformRandomVariable> random;

    void Receive(Ptr<const WifiPsdu> psdu, RxSignalInfo signal, WifiTxVector vector, std::vector<bool> status)
    {
        if (psdu->GetHeader(0).IsAck() && random->GetValue() < bugRate)
        {
            return;
        }
        mac->Receive(psdu, signal, vector, status);
    }
};

/// Gives frames of the DUT wrong sequence numbers as they leave its MAC.
struct Numbering
{
    /// What is added to the right number; 4095 is one less.
    uint16_t offset = 0;
    /// By how much the offset grows.
    uint16_t change;
    double bugRate;
    Ptr<UniformRandomVariable> random;

    void Begin(WifiConstPsduMap psdus, WifiTxVector, double)
    {
        for (const auto& [station, psdu] : psdus)
        {
            // A retransmission is the same object, which has its number already.
            auto& header = const_cast<WifiPsdu&>(*psdu).GetHeader(0);
            if (!header.IsData() || header.IsRetry())
            {
                continue;
            }
            // The very first number is right: a monitor cannot know with which one a device begins.
            if (header.GetSequenceNumber() > 0 && random->GetValue() < bugRate)
            {
                offset = (offset + change) % 4096;
            }
            header.SetSequenceNumber((header.GetSequenceNumber() + offset) % 4096);
        }
    }
};

int
main(int argc, char* argv[])
{
    std::string dutFile = "dut.pcap", snifferFile = "sniffer.pcap", sequence = "right", retransmission = "right",
                manager = "constant", physical = "b", dataMode = "", controlMode = "";
    double ds = 0, es = 0, ed = 0, bugRate = 0.5, seconds = 30, intervalMs = 20, until = 1e9;
    uint32_t seed = 1, bytes = 40;
    CommandLine command;
    command.AddValue("dut", "where the DUT's capture goes", dutFile);
    command.AddValue("sniffer", "where the sniffer's capture goes", snifferFile);
    command.AddValue("ds", "loss between DUT and sniffer", ds);
    command.AddValue("es", "loss between endpoint and sniffer", es);
    command.AddValue("ed", "loss between endpoint and DUT", ed);
    command.AddValue("until", "seconds after which nothing is lost between endpoint and DUT", until);
    command.AddValue("sequence", "right, skip or stuck", sequence);
    command.AddValue("retransmission", "right, afterAck or never", retransmission);
    command.AddValue("bugRate", "how often a bug shows where it may", bugRate);
    command.AddValue("manager", "constant, Arf or Aarf", manager);
    command.AddValue("phy", "a, b or g", physical);
    command.AddValue("data", "the mode of data, such as OfdmRate54Mbps; the slowest if it is not said", dataMode);
    command.AddValue("control", "the mode of control frames; the slowest if it is not said", controlMode);
    command.AddValue("seconds", "how long the DUT sends", seconds);
    command.AddValue("intervalMs", "between two packets", intervalMs);
    command.AddValue("bytes", "of each packet", bytes);
    command.AddValue("seed", "of everything random", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetSeed(seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));

    NodeContainer nodes(3);
    MobilityHelper mobility;
    mobility.Install(nodes);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", BooleanValue(false));
    WifiHelper wifi;
    wifi.SetStandard(physical == "a"   ? WIFI_STANDARD_80211a
                     : physical == "g" ? WIFI_STANDARD_80211g
                                       : WIFI_STANDARD_80211b);

    std::string slowest = physical == "a" ? "OfdmRate6Mbps" : "DsssRate1Mbps";
    auto mode = [&](const std::string& given) { return StringValue(given.empty() ? slowest : given); };
    Config::SetDefault("ns3::ConstantRateWifiManager::DataMode", mode(dataMode));
    Config::SetDefault("ns3::ConstantRateWifiManager::ControlMode", mode(controlMode));
    bool forgetful = retransmission == "never";
    std::string ofDut = manager != "constant" ? "ns3::" + manager + "WifiManager"
                        : forgetful           ? ForgetfulManager::GetTypeId().GetName()
                                              : "ns3::ConstantRateWifiManager";
    NetDeviceContainer devices;
    for (uint32_t node = 0; node < 3; ++node)
    {
        std::string name = node == 0 ? ofDut : "ns3::ConstantRateWifiManager";
        wifi.SetRemoteStationManager(name);
        devices.Add(wifi.Install(phy, mac, nodes.Get(node)));
    }
    auto device = [&](int node) { return DynamicCast<WifiNetDevice>(devices.Get(node)); };
    auto address = [&](int node) { return device(node)->GetMac()->GetAddress(); };
    const int dut = 0, endpoint = 1, sniffer = 2;

    int64_t stream = 0;
    auto random = [&] {
        auto variable = CreateObject<UniformRandomVariable>();
        variable->SetStream(stream++);
        return variable;
    };
    Ptr<LossBySender> losses[3];
    for (int node = 0; node < 3; ++node)
    {
        losses[node] = CreateObject<LossBySender>();
        losses[node]->random = random();
        losses[node]->acknowledgedBy = {{address(dut), address(endpoint)}, {address(endpoint), address(dut)}};
        device(node)->GetPhy()->SetPostReceptionErrorModel(losses[node]);
    }
    losses[dut]->lossOfSender = {{address(endpoint), ed}};
    losses[endpoint]->lossOfSender = {{address(dut), ed}};
    losses[sniffer]->lossOfSender = {{address(dut), ds}, {address(endpoint), es}};
    Simulator::Schedule(Seconds(1 + until), [&] {
        losses[dut]->lossOfSender.clear();
        losses[endpoint]->lossOfSender.clear();
    });

    ForgetfulManager::bugRate = bugRate;
    ForgetfulManager::random = random();
    Overlooking overlooking{device(dut)->GetMac()->GetFrameExchangeManager(), bugRate, random()};
    if (retransmission == "afterAck")
    {
        device(dut)->GetPhy()->SetReceiveOkCallback(MakeCallback(&Overlooking::Receive, &overlooking));
    }
    Numbering numbering;
    numbering.change = sequence == "skip" ? 1 : 4095;
    numbering.bugRate = bugRate;
    numbering.random = random();
    if (sequence != "right")
    {
        device(dut)->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin",
                                                          MakeCallback(&Numbering::Begin, &numbering));
    }
    wifi.AssignStreams(devices, stream);

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    auto interfaces = addresses.Assign(devices);
    NeighborCacheHelper neighbors;
    neighbors.PopulateNeighborCache(interfaces);

    UdpServerHelper receiving(9);
    receiving.Install(nodes.Get(endpoint)).Start(Seconds(0));
    UdpClientHelper sending(interfaces.GetAddress(endpoint), 9);
    sending.SetAttribute("MaxPackets", UintegerValue(1000000000));
    sending.SetAttribute("Interval", TimeValue(MicroSeconds(intervalMs * 1000)));
    sending.SetAttribute("PacketSize", UintegerValue(bytes));
    auto client = sending.Install(nodes.Get(dut));
    client.Start(Seconds(1));
    client.Stop(Seconds(1 + seconds));

    phy.EnablePcap(dutFile, devices.Get(dut), false, true);
    phy.EnablePcap(snifferFile, devices.Get(sniffer), false, true);
    Simulator::Stop(Seconds(2 + seconds));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
